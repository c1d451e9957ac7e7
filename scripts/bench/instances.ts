/** Invocations per second of one, two and four instances on one database, with the same number of connections in all. */
import { operations } from '../../generated/operations.js';
import { withEnvironment } from './lib/environment.js';
import type { LoadResult } from './lib/load.js';
import { runLoad } from './lib/programs.js';
import { median } from './lib/statistics.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const counts = [1, 2, 4];
const connections = 32;
const rounds = 5;

/** On one machine the instances share its cores with PostgreSQL and the load: what it shows is what sharing a database costs. */
export async function benchInstances(): Promise<void> {
  await withEnvironment(async ({ database, secrets, startService }) => {
    const urls: string[] = [];
    for (let count = 0; count < Math.max(...counts); count += 1) {
      urls.push(await startService({ RATE_LIMIT_STORE: 'postgres' }));
    }
    /** Each instance serves an account of its own. */
    const measure = async (instances: number): Promise<LoadResult> => {
      const loads = urls.slice(0, instances).map(async (url) => {
        const { agentId, headers } = await newTenant(database, secrets);
        return runLoad({
          url: url + operations.invokeAgent.path.replace('{agent_id}', agentId),
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ message: 'Where is my order 5512?' }),
          connections: connections / instances,
          milliseconds: 4_000,
          maxRequests: requestsPerRound,
        });
      });
      return sumUp(await Promise.all(loads));
    };
    for (const instances of counts) await measure(instances);
    const results = new Map(counts.map((instances) => [instances, [] as LoadResult[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [instances, measured] of results) measured.push(await measure(instances));
    }
    console.log(`${connections} connections in all, median of ${rounds} alternating rounds`);
    console.log('instances  a second   p50 ms   p99 ms');
    for (const [instances, measured] of results) {
      const middle = (metric: keyof LoadResult) => median(measured.map((one) => one[metric]));
      const columns = [middle('p50'), middle('p99')].map((ms) => ms.toFixed(1).padStart(9));
      const perSecond = middle('perSecond').toFixed(0).padStart(10);
      console.log(`${String(instances).padStart(9)}${perSecond}${columns.join('')}`);
    }
  });
}

function sumUp(results: readonly LoadResult[]): LoadResult {
  const sum = (metric: keyof LoadResult) => results.reduce((total, one) => total + one[metric], 0);
  const largest = (metric: keyof LoadResult) => Math.max(...results.map((one) => one[metric]));
  return {
    perSecond: sum('perSecond'),
    requests: sum('requests'),
    failures: sum('failures'),
    p50: largest('p50'),
    p99: largest('p99'),
  };
}
