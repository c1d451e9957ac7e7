/** `npm run test:hostile`: attacks of a hostile tenant at full speed barely affect other tenants. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { percentile } from '../../scripts/bench/lib/statistics.js';
import { useFixture } from '../helpers/service/fixture.js';
import {
  type ServiceProcess,
  startProgram,
  startServiceProcess,
} from '../helpers/programs/process.js';
import { residentMemory } from '../helpers/programs/resident-memory.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';
import type { AttackResult } from './attacker.js';
import {
  prepareAttacks,
  type AttackContext,
  attacks,
  type Plan,
  secretVariable,
} from './attacks.js';
import { createNeighbour, type Measurements, type Neighbour } from './neighbour.js';

/** Long enough for 300 requests of a neighbour, so that a single slow moment is about 1% of them. */
const attackMs = 8_000;
/** Measured before each attack, since the speed of the machine may vary. */
const quietMs = 1_000;
const slowdown = 10;
/** The latency that is acceptable in any case. */
const patienceMs = 250;
const maxMemoryMb = 512;
/** The rest is for non-heap memory: code, buffers, sockets. */
const heapMb = 384;

// This service creates the accounts; the service under attack is another process.
const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const hostile = useTenant(observer);
const friendly = useTenant(observer);

const service = useFixture<ServiceProcess>(
  () =>
    startServiceProcess({
      environment: {
        ...environmentFor(observer),
        ALLOW_PRIVATE_TARGETS: 'true',
        LOG_LEVEL: 'error',
        NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
        [secretVariable]: 'a secret of the service, of at least 32 bytes',
      },
    }),
  async (program) => void (await program.end('SIGTERM')),
);

const attacker = useFixture(
  async () => {
    const program = startProgram('test/hostile/attacker.ts', [], { hasOwnSession: true });
    const [, url = ''] = await program.printed(/attacker at (\S+)\n/);
    return { url, end: program.end };
  },
  ({ end }) => end('SIGKILL'),
);
const attackContext = useFixture<AttackContext>(() =>
  prepareAttacks(observer, hostile, attacker.url),
);
const neighbour = useFixture<Neighbour>(() => createNeighbour(service.url, friendly));

const quiet: Measurements = { latencies: [], failures: [] };
const during = new Map<string, Measurements>();
const rows: string[][] = [];

beforeAll(async () => {
  // Warms up the code and the caches.
  await observe(delay(quietMs));
});

afterAll(() => {
  process.stdout.write(`${table(rows)}\n`);
});

test.each(Object.entries(attacks))(
  '%s fail no request of another tenant and leak no memory',
  async (name, plan) => {
    const before = await observe(delay(quietMs));
    quiet.latencies.push(...before.latencies);
    expect(before.failures).toEqual([]);

    const attack = run(plan(attackContext));
    const memory = peakMemory(attack);
    const experience = await observe(attack);
    const peakMb = await memory;
    during.set(name, experience);
    rows.push(rowOf(name, before, experience, { ...(await attack), peakMb }));
    expect(experience.failures).toEqual([]);
    expect(peakMb).toBeLessThan(maxMemoryMb);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  },
);

// Compared with all quiet periods together, since one of them is short and the speed of the machine varies.
test(`the p99 latency of other tenants is at most ${patienceMs} ms or ${slowdown} times that in quiet periods`, () => {
  const limitMs = Math.max(patienceMs, slowdown * p99(quiet));
  const slow = [...during].filter(([, experience]) => p99(experience) >= limitMs);
  expect(slow.map(([name, experience]) => `${name}: ${p99(experience).toFixed(0)} ms`)).toEqual([]);
});

/** Runs the neighbour until the signal is aborted. */
async function observe(until: Promise<unknown>): Promise<Measurements> {
  const over = new AbortController();
  const experience = neighbour.work(over.signal);
  await until;
  over.abort();
  return experience;
}

async function run(plan: Plan): Promise<AttackResult> {
  const response = await fetch(`${attacker.url}/attack`, {
    method: 'POST',
    body: JSON.stringify({ ...plan, url: service.url, milliseconds: attackMs }),
  });
  return (await response.json()) as AttackResult;
}

async function peakMemory(until: Promise<unknown>): Promise<number> {
  const progress = { isOver: false };
  void until.finally(() => (progress.isOver = true));
  let peak = 0;
  while (!progress.isOver) {
    peak = Math.max(peak, await residentMemory(service.pid));
    await delay(250);
  }
  return peak;
}

const p99 = ({ latencies }: Measurements) => percentile(latencies, 0.99);

function rowOf(
  name: string,
  before: Measurements,
  during: Measurements,
  { answers, peakMb }: AttackResult & { peakMb: number },
): string[] {
  const said = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  const times = [before, during].flatMap(({ latencies }) =>
    [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(0)),
  );
  return [name, ...times, String(during.failures.length), String(peakMb), said.join(', ')];
}

function table(lines: string[][]): string {
  const all = [
    ['attack', 'p50 quiet', 'p99 quiet', 'p50 ms', 'p99 ms', 'failures', 'peak MB', 'it was told'],
    ...lines,
  ];
  const widths = (all[0] ?? []).map((_, column) =>
    Math.max(...all.map((cells) => (cells[column] ?? '').length)),
  );
  return all
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}
