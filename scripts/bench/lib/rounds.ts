/** Measures contenders in turn, so that other load on the machine affects all of them, and compares them within each round. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Load, type LoadResult, runLoad } from './load.js';
import { processorSeconds } from './processor-time.js';
import type { BenchContext } from './report.js';
import { median } from './statistics.js';

export interface Contender {
  /** The load of a round. */
  load: () => Load | Promise<Load>;
  /** The processes whose processor time is measured. */
  pids?: { node: number; postgres: number };
}

/** Processor time is in microseconds per request. */
export interface Measured extends LoadResult {
  nodeCpu: number;
  postgresCpu: number;
}

export interface Results<Name extends string> {
  median: (name: Name, metric: keyof Measured) => number;
  /** The median of the ratios within each round. */
  ratio: (name: Name, base: Name, metric: keyof Measured) => number;
}

/** Work that a server does within this time after its responses is included. */
const settleMs = 500;

/**
 * Each load runs twice, and the second run is measured: V8 drops the optimized code of a server that was idle during the
 * turns of others.
 */
export async function measureInTurn<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, progress }: BenchContext,
): Promise<Results<Name>> {
  const names = Object.keys(contenders) as Name[];
  const measured: Record<Name, Measured>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`round ${round} of ${rounds}`);
    const results: [Name, Measured][] = [];
    for (const name of names) results.push([name, await measure(contenders[name])]);
    measured.push(Object.fromEntries(results) as Record<Name, Measured>);
  }
  return {
    median: (name, metric) => median(measured.map((round) => round[name][metric])),
    ratio: (name, base, metric) =>
      median(measured.map((round) => round[name][metric] / round[base][metric])),
  };
}

async function measure({ load, pids }: Contender): Promise<Measured> {
  await runLoad(await load());
  const prepared = await load();
  const before = pids && (await processorTimes(pids));
  const result = await runLoad(prepared);
  if (!pids || !before) return { ...result, nodeCpu: NaN, postgresCpu: NaN };
  await delay(settleMs);
  const after = await processorTimes(pids);
  const perRequest = (seconds: number) => (seconds / result.requests) * 1e6;
  return {
    ...result,
    nodeCpu: perRequest(after.node - before.node),
    postgresCpu: perRequest(after.postgres - before.postgres),
  };
}

async function processorTimes({ node, postgres }: { node: number; postgres: number }) {
  return { node: await processorSeconds(node), postgres: await processorSeconds(postgres) };
}
