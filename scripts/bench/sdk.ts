/** Compares calls through the SDK with the same calls by plain fetch: to the service, and to a server that does nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import type * as Sdk from '../../client/src/index.js';
import { inProject } from '../lib/project.js';
import type { BenchContext } from './lib/context.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import { median } from './lib/statistics.js';
import { figure, type Table } from './lib/table.js';
import { newTenant } from './lib/tenant.js';
import {
  type Call,
  type Comparison,
  serviceComparisons,
  bareServerComparisons,
} from './sdk/comparisons.js';

const callsPerRound = 400;

export async function benchSdk(context: BenchContext): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-sdk-'));
  try {
    const sdk = await buildSdk(path.join(folder, 'sdk.mjs'));
    await withEnvironment((environment) => compare(environment, sdk, context));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(
  { database, secrets, start, startService }: BenchEnvironment,
  sdk: typeof Sdk,
  { rounds = 15, report }: BenchContext,
): Promise<void> {
  const bareServer = await start(['scripts/bench/sdk/bare-server.ts']);
  const service = await startService();
  const rows: Table['rows'] = [];
  for (const comparisonFor of serviceComparisons(sdk, service)) {
    // Each tenant has its own rate limit.
    const { agentId, headers } = await newTenant(database, secrets);
    const comparison = comparisonFor(agentId, headers.authorization.replace('Bearer ', ''));
    rows.push(await compareCalls(comparison, rounds));
  }
  for (const comparison of bareServerComparisons(sdk, bareServer)) {
    rows.push(await compareCalls(comparison, rounds));
  }
  report({
    title: 'Calls through the SDK',
    note: `one at a time, alternating with plain fetch; medians of ${rounds} rounds of ${callsPerRound}`,
    columns: ['fetch µs', 'SDK µs', 'ratio'],
    rows,
  });
}

/** Bundled, since tsx, which runs this benchmark, would slow the SDK down: it wraps functions to keep their names. */
async function buildSdk(outfile: string): Promise<typeof Sdk> {
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

async function compareCalls(
  { title, bare, sdk, goal }: Comparison,
  rounds: number,
): Promise<Table['rows'][number]> {
  await round(bare, sdk);
  const results: RoundResult[] = [];
  for (let count = 0; count < rounds; count += 1) results.push(await round(bare, sdk));
  const bareTime = median(results.map((result) => result.bare));
  const sdkTime = median(results.map((result) => result.sdk));
  return {
    title,
    figures: [figure(bareTime, 1), figure(sdkTime, 1), figure(sdkTime / bareTime, 2, goal)],
  };
}

/** The median of each, in microseconds. */
interface RoundResult {
  bare: number;
  sdk: number;
}

/** Alternates call by call, so that other load on the machine affects both alike. */
async function round(bare: Call, sdk: Call): Promise<RoundResult> {
  const bareTimes: number[] = [];
  const sdkTimes: number[] = [];
  for (let count = 0; count < callsPerRound; count += 1) {
    bareTimes.push(await timed(bare));
    sdkTimes.push(await timed(sdk));
  }
  return { bare: median(bareTimes), sdk: median(sdkTimes) };
}

async function timed(call: Call): Promise<number> {
  const start = performance.now();
  await call();
  return (performance.now() - start) * 1000;
}
