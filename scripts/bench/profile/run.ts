/** `npm run bench -- --profile`: where a request spends its time, in Node by function and in PostgreSQL by statement. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { bundlePrograms } from '../../lib/bundle.js';
import { Failure } from '../../lib/failure.js';
import { inProject } from '../../lib/project.js';
import type { BenchContext } from '../lib/context.js';
import { type BenchEnvironment, withEnvironment } from '../lib/environment.js';
import { runLoad } from '../lib/loader.js';
import { type CpuProfile, type Period, summarise } from './cpu-profile.js';
import { createSourceFinder } from './sources.js';
import { openStatementCounter, statementSettings } from './statements.js';
import { subjectsOf } from './subjects.js';
import { nodeTables, overview, type Profiled, statementTable } from './tables.js';

const sampleMicroseconds = 200;

/** `subject` is the name of a request, such as `invoke`. */
export async function profile(subject: string, { report }: BenchContext): Promise<void> {
  // In the project, where the service finds its files and packages.
  const folder = await mkdtemp(inProject('dist/.profile-'));
  try {
    await bundlePrograms(['server/main.ts'], folder, ['--sourcemap']);
    await withEnvironment(
      async (environment) => {
        const profiled = await measure(environment, folder, subject);
        for (const table of [
          overview(profiled),
          ...nodeTables(profiled),
          statementTable(profiled),
        ]) {
          report(table);
        }
      },
      { settings: statementSettings },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  environment: BenchEnvironment,
  folder: string,
  subject: string,
): Promise<Profiled> {
  const { startService, clusterOf, processorTimes, stop } = environment;
  const url = await startService({}, [
    '--cpu-prof',
    `--cpu-prof-interval=${sampleMicroseconds}`,
    `--cpu-prof-dir=${folder}`,
    path.join(folder, 'server/main.js'),
  ]);
  const subjects = subjectsOf(environment, url);
  const newLoad = subjects.get(subject);
  const cluster = clusterOf(url);
  if (!newLoad || !cluster) {
    throw new Failure(`No request '${subject}'; there are ${[...subjects.keys()].join(', ')}.`);
  }
  await runLoad(await newLoad());
  const load = { ...(await newLoad()), milliseconds: 6_000 };
  const statements = await openStatementCounter(cluster);
  await statements.reset();
  const [from, before] = [microseconds(), await processorTimes(url)];
  const result = await runLoad(load);
  const [to, after] = [microseconds(), await processorTimes(url)];
  const counted = await statements.read();
  await statements.close();
  await stop(url);
  const perRequest = (seconds: number) => (seconds / result.requests) * 1e6;
  return {
    subject,
    ...result,
    nodeCpu: perRequest(after.node - before.node),
    databaseCpu: perRequest(after.database - before.database),
    summary: summarise(await readProfile(folder), createSourceFinder(), { from, to }),
    statements: counted,
  };
}

/** On the clock that profiles have too. */
function microseconds(): Period['from'] {
  return Number(process.hrtime.bigint() / 1000n);
}

async function readProfile(folder: string): Promise<CpuProfile> {
  const file = (await readdir(folder)).find((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Failure('The service wrote no profile.');
  return JSON.parse(await readFile(path.join(folder, file), 'utf8')) as CpuProfile;
}
