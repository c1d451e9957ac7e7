/** Measures Invoke on several services in turn, so that other work on the machine affects all of them equally. */
import { operations } from '../../../generated/operations.js';
import type { BenchEnvironment } from './environment.js';
import type { LoadResult } from './load.js';
import { processorSeconds } from './processor-time.js';
import { runLoad } from './programs.js';
import { median } from './statistics.js';
import { newTenant, requestsPerRound } from './tenant.js';

const connections = 32;

export interface Contender {
  title: string;
  url: string;
  /** Done after each of its rounds. */
  afterRound?: () => Promise<unknown>;
}

interface Round extends LoadResult {
  /** Of Node, in microseconds for each request. */
  processorTime: number;
}

/** Prints a line for each, with the medians of the rounds and of the ratios to the first one within each round. */
export async function compareInvoking(
  { database, secrets, pidOf }: BenchEnvironment,
  contenders: readonly Contender[],
  rounds = 7,
): Promise<void> {
  const measure = async ({ url, afterRound }: Contender): Promise<Round> => {
    // One agent receives the whole load of a round.
    const { agentId, headers } = await newTenant(database, secrets);
    const path = operations.invokeAgent.path.replace('{agent_id}', agentId);
    const before = await processorSeconds(pidOf(url));
    const result = await runLoad({
      method: 'POST',
      url: `${url}${path}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Where is my order 5512?' }),
      connections,
      milliseconds: 4_000,
      maxRequests: requestsPerRound,
    });
    await afterRound?.();
    const used = (await processorSeconds(pidOf(url))) - before;
    return { ...result, processorTime: (used / result.requests) * 1e6 };
  };

  // The first round warms all of them up.
  for (const contender of contenders) await measure(contender);
  const results: Round[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const row: Round[] = [];
    for (const contender of contenders) row.push(await measure(contender));
    results.push(row);
  }

  console.log(
    `Invoke, ${connections} connections, median of ${rounds} rounds in turn, commits are durable`,
  );
  console.log(`${' '.repeat(20)}  a second   p50 ms   p99 ms    ratio   Node µs    ratio`);
  contenders.forEach(({ title }, index) => {
    const of = (metric: keyof Round) => median(results.map((row) => row[index]?.[metric] ?? NaN));
    const ratio = (metric: keyof Round) =>
      median(results.map((row) => (row[index]?.[metric] ?? NaN) / (row[0]?.[metric] ?? NaN)));
    const columns = [
      of('perSecond').toFixed(0).padStart(10),
      of('p50').toFixed(1).padStart(9),
      of('p99').toFixed(1).padStart(9),
      ratio('perSecond').toFixed(2).padStart(9),
      of('processorTime').toFixed(0).padStart(10),
      ratio('processorTime').toFixed(3).padStart(9),
    ];
    console.log(`${title.padEnd(20)}${columns.join('')}`);
  });
}
