/** The curve of WORKERS: Invoke with 1, 2 and 4 processes, each with the same number of connections to the database in all. */
import { availableParallelism } from 'node:os';
import { withEnvironment } from './lib/environment.js';
import { compareInvoking } from './lib/invoking.js';

const counts = [1, 2, 4];
const connections = 20;

export async function benchWorkers(): Promise<void> {
  await withEnvironment(async (environment) => {
    const contenders: { title: string; url: string }[] = [];
    for (const count of counts) {
      const url = await environment.startService({
        WORKERS: String(count),
        DATABASE_POOL_SIZE: String(connections / count),
        // What several processes count with, so that it is the same for all.
        RATE_LIMIT_STORE: 'postgres',
      });
      contenders.push({ title: `WORKERS=${count}`, url });
    }
    console.log(`${availableParallelism()} cores, of which PostgreSQL and the load need some too`);
    await compareInvoking(environment, contenders);
  });
}
