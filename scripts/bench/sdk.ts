/** What a call through the SDK takes beside the same call with bare fetch: to the service, and to a server that does nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import type * as Sdk from '../../client/src/index.js';
import { inProject } from '../lib/project.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import { median } from './lib/statistics.js';
import { newTenant } from './lib/tenant.js';
import { type Call, type Contest, contestsAtService, contestsAtNothing } from './sdk/contests.js';

const rounds = 15;
const callsPerRound = 400;

export async function benchSdk(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-sdk-'));
  try {
    const sdk = await builtSdk(path.join(folder, 'sdk.mjs'));
    await withEnvironment((environment) => compare(environment, sdk));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(
  { database, secrets, start, startService }: BenchEnvironment,
  sdk: typeof Sdk,
): Promise<void> {
  const nothing = await start(['scripts/bench/sdk/bare-server.ts']);
  const service = await startService();
  console.log(
    `one call after the other, ${rounds} rounds of ${callsPerRound} each, in turn call by call; medians`,
  );
  console.log('                                          bare µs      sdk µs   ratio');
  for (const contestOf of contestsAtService(sdk, service)) {
    // Each has a bucket of its own to empty.
    const { agentId, headers } = await newTenant(database, secrets);
    await hold(contestOf(agentId, headers.authorization.replace('Bearer ', '')));
  }
  for (const contest of contestsAtNothing(sdk, nothing)) await hold(contest);
}

/** As it is published: what runs the TypeScript of this benchmark would slow it down with names for every function. */
async function builtSdk(outfile: string): Promise<typeof Sdk> {
  await build({
    entryPoints: [inProject('client/src/index.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
  });
  return (await import(outfile)) as typeof Sdk;
}

async function hold({ title, bare, sdk, target }: Contest): Promise<void> {
  await round(bare, sdk);
  const results: [bare: number, sdk: number][] = [];
  for (let count = 0; count < rounds; count += 1) results.push(await round(bare, sdk));
  const bareTime = median(results.map(([time]) => time));
  const sdkTime = median(results.map(([, time]) => time));
  const goal = target === undefined ? '' : `  (at most ${target})`;
  console.log(
    [
      title.padEnd(34),
      `${bareTime.toFixed(1).padStart(15)}${sdkTime.toFixed(1).padStart(12)}`,
      `    ${(sdkTime / bareTime).toFixed(2)}${goal}`,
    ].join(''),
  );
}

/** The medians of both, in microseconds; in turn call by call, so that whatever else the machine does meets both alike. */
async function round(bare: Call, sdk: Call): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let count = 0; count < callsPerRound; count += 1) {
    times[0].push(await timed(bare));
    times[1].push(await timed(sdk));
  }
  return [median(times[0]), median(times[1])];
}

async function timed(call: Call): Promise<number> {
  const start = performance.now();
  await call();
  return (performance.now() - start) * 1000;
}
