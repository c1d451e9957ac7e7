/** The checks that `npm run check` runs. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate, inOneFolder, inPlace, steps } from '../generate/run.js';
import { scratchPrefix } from '../generate/publish.js';
import { type Outcome, runNode } from '../lib/child.js';
import { Failure } from '../lib/failure.js';
import { inProject, programs } from '../lib/project.js';
import { redocly } from '../lib/redocly.js';
import { differences } from './compare.js';

export interface Check {
  name: string;
  title: string;
  /** Resolves to a description of the problems, or to undefined if there are none. */
  run: () => Promise<string | undefined>;
}

/** The longest first, since they run in parallel. */
export const checks: Check[] = [
  {
    name: 'prettier',
    title: 'prettier',
    run: program(programs.prettier, '--check', '--cache', '.'),
  },
  {
    name: 'contract',
    title: 'contract follows its rules',
    run: async () => outputIfFailed(await redocly(['lint'])),
  },
  {
    name: 'spectral',
    title: 'Spectral finds nothing',
    run: program(
      programs.spectral,
      'lint',
      inProject('generated/openapi.json'),
      '--fail-severity=hint',
    ),
  },
  { name: 'generated', title: 'generated files are current', run: compareGenerated },
  { name: 'types', title: 'types are correct', run: program(programs.tsc, '--noEmit') },
  {
    name: 'console',
    title: 'types of the console are correct',
    run: program(programs.tsc, '--noEmit', '--project', inProject('client/console')),
  },
  { name: 'oxlint', title: 'oxlint', run: program(programs.oxlint) },
];

function program(script: string, ...args: string[]): Check['run'] {
  return async () => outputIfFailed(await runNode([script, ...args]));
}

function outputIfFailed({ code, stdout, stderr }: Outcome): string | undefined {
  return code === 0 ? undefined : `${stdout}\n${stderr}`.trim();
}

/** Leaves out the database client, which is generated on installation and not committed. */
async function compareGenerated(): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'generated-'));
  const fresh = inOneFolder(folder);
  try {
    await generate({
      spec: inProject('spec'),
      ...fresh,
      steps: steps.filter((step) => step.name !== 'prisma'),
      report: () => undefined,
    });
    const found = await Promise.all([
      differences(inPlace.out, fresh.out, ['prisma', 'client/', 'chart/', scratchPrefix]),
      differences(inPlace.clientOut, fresh.clientOut, []),
      differences(inPlace.chartOut, fresh.chartOut, []),
    ]);
    if (found.flat().length === 0) return undefined;
    return [...found.flat(), 'Run npm run generate and commit the changes.'].join('\n');
  } catch (error) {
    if (error instanceof Failure) return error.message.trim();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
