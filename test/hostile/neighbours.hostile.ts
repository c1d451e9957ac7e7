/** `npm run test:hostile`: whatever a hostile tenant does at full speed, its neighbours hardly notice. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { percentile } from '../../scripts/bench/lib/statistics.js';
import { useFixture } from '../helpers/fixture.js';
import { type ServiceProcess, startProgram, startServiceProcess } from '../helpers/process.js';
import { besides, useService, useTenant } from '../helpers/service.js';
import type { Attack, AttackResult } from './attacker.js';
import { attacks, hostileAgents, secretVariable } from './attacks.js';
import { createNeighbour, type Experience, type Neighbour } from './neighbour.js';

const attackMs = 8_000;
const quietMs = 15_000;
const heapMb = 512;
/** What a process has besides its heap: code, buffers, sockets. */
const otherMb = 256;
const slowdown = 5;

// It makes the accounts; the service under attack is another process.
const observer = useService({ WORKER: 'off' });
const hostile = useTenant(observer);
const friendly = useTenant(observer);

const service = useFixture<ServiceProcess>(
  () =>
    startServiceProcess({
      environment: {
        ...besides(observer),
        ALLOW_PRIVATE_TARGETS: 'true',
        LOG_LEVEL: 'error',
        NODE_OPTIONS: `--max-old-space-size=${heapMb} ${process.env['PROF'] ?? ''}`,
        [secretVariable]: 'a secret of the service, of at least 32 bytes',
      },
    }),
  async (program) => void (await program.end('SIGTERM')),
);

const attacker = useFixture(
  async () => {
    const program = startProgram('test/hostile/attacker.ts');
    const [, url = ''] = await program.printed(/attacker at (\S+)\n/);
    return { url, end: program.end };
  },
  ({ end }) => end('SIGKILL'),
);

test('a hostile tenant at full speed does not reach its neighbours', async () => {
  const neighbour = await createNeighbour(service.url, friendly);
  const agents = await hostileAgents(hostile, attacker.url);
  await observe(neighbour, delay(3_000));
  const quiet = await observe(neighbour, delay(quietMs));
  const rows = [row('(quiet)', quiet, { answers: {} }, await residentMb(service.pid))];
  const problems = quiet.failures.map((failure) => `quiet: ${failure}`);

  for (const { name, ...attack } of attacks({ tenant: hostile, agents, attacker: attacker.url }).filter((a) => !process.env['ONLY'] || process.env['ONLY'].split(',').includes(a.name))) {
    const under = run({ ...attack, url: service.url, milliseconds: attackMs });
    const peak = peakMemory(service.pid, under);
    const experience = await observe(neighbour, under);
    const peakMb = await peak;
    rows.push(row(name, experience, await under, peakMb));
    const [usual, now] = [p99(quiet), p99(experience)];
    if (now > slowdown * usual) problems.push(`${name}: p99 ${now.toFixed(0)} ms`);
    problems.push(...new Set(experience.failures.map((failure) => `${name}: ${failure}`)));
    if (peakMb > heapMb + otherMb) problems.push(`${name}: ${peakMb} MB`);
  }
  process.stdout.write(`${table(rows)}\n`);
  expect(problems).toEqual([]);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
}, 600_000);

/** What the neighbour sees until then. */
async function observe(neighbour: Neighbour, until: Promise<unknown>): Promise<Experience> {
  const over = new AbortController();
  const experience = neighbour.work(over.signal);
  await until;
  over.abort();
  return experience;
}

async function run(attack: Attack): Promise<AttackResult> {
  const response = await fetch(`${attacker.url}/attack`, {
    method: 'POST',
    body: JSON.stringify(attack),
  });
  return (await response.json()) as AttackResult;
}

async function peakMemory(pid: number, until: Promise<unknown>): Promise<number> {
  const progress = { isOver: false };
  void until.finally(() => (progress.isOver = true));
  let peak = 0;
  while (!progress.isOver) {
    peak = Math.max(peak, await residentMb(pid));
    await delay(250);
  }
  return peak;
}

async function residentMb(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Math.round(Number(stdout) / 1024);
}

const p99 = ({ latencies }: Experience) => percentile(latencies, 0.99);

function row(
  name: string,
  { latencies, failures }: Experience,
  { answers }: AttackResult,
  peakMb: number,
): string[] {
  const said = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  return [
    name,
    percentile(latencies, 0.5).toFixed(1),
    percentile(latencies, 0.99).toFixed(1),
    String(failures.length),
    String(peakMb),
    said.join(', '),
  ];
}

function table(rows: string[][]): string {
  const all = [
    ['attack', 'p50 ms', 'p99 ms', 'failures', 'peak MB', 'answers to the attacker'],
    ...rows,
  ];
  const widths = (all[0] ?? []).map((_, column) =>
    Math.max(...all.map((cells) => (cells[column] ?? '').length)),
  );
  return all
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}
