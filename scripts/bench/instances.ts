/** Invocations per second of one, two and four instances on one database, with the same number of connections in all. */
import type { BenchContext } from './lib/context.js';
import { withEnvironment } from './lib/environment.js';
import type { LoadResult } from './lib/load.js';
import { runLoad } from './lib/loader.js';
import { connections, invoke } from './lib/loads.js';
import { median } from './lib/statistics.js';
import { figure } from './lib/table.js';
import { newTenant } from './lib/tenant.js';

const counts = [1, 2, 4];

/** On one machine the instances share its cores with PostgreSQL and the load: what it shows is what sharing a database costs. */
export async function benchInstances({ rounds = 5, report }: BenchContext): Promise<void> {
  await withEnvironment(async ({ database, secrets, startService }) => {
    const urls: string[] = [];
    for (let count = 0; count < Math.max(...counts); count += 1) {
      urls.push(await startService({ RATE_LIMIT_STORE: 'postgres' }));
    }
    /** Each instance serves an account of its own. */
    const measure = async (instances: number): Promise<LoadResult> => {
      const loads = urls.slice(0, instances).map(async (url) =>
        runLoad({
          ...invoke(url, await newTenant(database, secrets)),
          connections: connections / instances,
        }),
      );
      return sumUp(await Promise.all(loads));
    };
    for (const instances of counts) await measure(instances);
    const results = new Map(counts.map((instances) => [instances, [] as LoadResult[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [instances, measured] of results) measured.push(await measure(instances));
    }
    report({
      title: 'Invoke by instances',
      note: `${connections} connections in all; medians of ${rounds} rounds in turn`,
      columns: ['a second', 'p50 ms', 'p99 ms'],
      rows: [...results].map(([instances, measured]) => {
        const middle = (metric: keyof LoadResult) => median(measured.map((one) => one[metric]));
        return {
          title: `${instances} instances`,
          figures: [
            figure(middle('perSecond'), 0),
            figure(middle('p50'), 1),
            figure(middle('p99'), 1),
          ],
        };
      }),
    });
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
