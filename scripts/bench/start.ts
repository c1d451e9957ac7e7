/** How soon the service is ready with existing data, what it takes at rest, and how soon the command lines print their help. */
import { setTimeout as delay } from 'node:timers/promises';
import { runNode } from '../lib/child.js';
import { nodeFlags } from '../lib/node-flags.js';
import type { BenchContext } from './lib/context.js';
import { buildClient, buildServer } from './lib/programs.js';
import { median } from './lib/statistics.js';
import { figure, type Table } from './lib/table.js';
import { targets } from './lib/targets.js';
import {
  type Command,
  type Installation,
  type Started,
  withInstallation,
} from './start/installation.js';
import { readResidence } from './start/residence.js';

const commands: Record<string, Command> = {
  'npm start': ['npm', 'start'],
  'node scripts/run-built.mjs main': [
    process.execPath,
    ...nodeFlags,
    'scripts/run-built.mjs',
    'main',
  ],
};

const helps: Record<string, string[]> = {
  'operator --help': ['scripts/run-built.mjs', 'operator/main', '--help'],
  'agent-hosting --help': ['client/bin/agent-hosting.js', '--help'],
};

/** Until the garbage of the start is collected, and connections that it needed are closed. */
const restMs = 30_000;
/** Some tasks run once a minute. */
const idleMs = 60_000;

export async function benchStart({ rounds = 7, report }: BenchContext): Promise<void> {
  await buildServer();
  await buildClient();
  await withInstallation(async (installation) => {
    const note = `PostgreSQL included, ${installation.invocations} invocations in its history; medians of ${rounds}`;
    const rows = [
      ...(await measureStarts(installation, rounds)),
      ...(await measureRest(installation)),
      ...(await measureHelps(rounds)),
    ];
    report({ title: 'Start and size', note, columns: ['figure', 'CPU ms'], rows });
  });
}

async function measureStarts({ start }: Installation, rounds: number): Promise<Table['rows']> {
  const times = new Map(Object.keys(commands).map((title) => [title, [] as Started[]]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [title, measured] of times) {
      const started = await start(commands[title] ?? []);
      if (round >= 0) measured.push(started);
      await started.stop();
    }
  }
  return [...times].map(([title, measured]) => ({
    title: `${title}: ready, ms`,
    figures: [
      figure(median(measured.map(({ readyMs }) => readyMs)), 0, targets.start.readyMs),
      figure(median(measured.map(({ cpuMs }) => cpuMs)), 0),
    ],
  }));
}

/** When nobody asks for anything. */
async function measureRest({ start, dataDir }: Installation): Promise<Table['rows']> {
  const { pid, stop } = await start(commands['node scripts/run-built.mjs main'] ?? []);
  try {
    await delay(restMs);
    const before = await readResidence(pid, dataDir);
    await delay(idleMs);
    const after = await readResidence(pid, dataDir);
    const share = (seconds: number) => (seconds / (idleMs / 1000)) * 100;
    const { residentMegabytes, idlePercent } = targets.start;
    const row = (title: string, ...value: Parameters<typeof figure>) => ({
      title,
      figures: [figure(...value)],
    });
    return [
      row('resident at rest: Node, MB', after.nodeMegabytes, 0, residentMegabytes),
      row('resident at rest: PostgreSQL, MB', after.databaseMegabytes, 0),
      row('idle: Node, % of a core', share(after.node - before.node), 2, idlePercent),
      row('idle: PostgreSQL, % of a core', share(after.database - before.database), 2),
    ];
  } finally {
    await stop();
  }
}

async function measureHelps(rounds: number): Promise<Table['rows']> {
  const rows: Table['rows'] = [];
  for (const [title, args] of Object.entries(helps)) {
    const times: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const start = performance.now();
      const { code, stderr } = await runNode(args);
      if (code !== 0) throw new Error(`${title} failed: ${stderr}`);
      if (round >= 0) times.push(performance.now() - start);
    }
    rows.push({ title: `${title}, ms`, figures: [figure(median(times), 0, targets.start.helpMs)] });
  }
  return rows;
}
