/** The curve of WORKERS: Invoke with 1, 2 and 4 processes, each with the same number of connections to the database in all. */
import { availableParallelism } from 'node:os';
import { compare, type Compared } from './lib/compare.js';
import type { BenchContext } from './lib/context.js';
import { withEnvironment } from './lib/environment.js';
import { connections, invoke } from './lib/loads.js';
import { newTenant } from './lib/tenant.js';

const counts = [1, 2, 4];
const databaseConnections = 20;

export async function benchWorkers({ rounds = 7, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const { database, secrets, startService } = environment;
    const contenders: Compared[] = [];
    for (const count of counts) {
      const url = await startService({
        WORKERS: String(count),
        DATABASE_POOL_SIZE: String(databaseConnections / count),
        // What several processes count with, so that it is the same for all.
        RATE_LIMIT_STORE: 'postgres',
      });
      contenders.push({
        title: `WORKERS=${count}`,
        url,
        load: async () => invoke(url, await newTenant(database, secrets)),
        base: 'WORKERS=1',
      });
    }
    const note = `${connections} connections; ${availableParallelism()} cores, of which PostgreSQL and the load need some too`;
    report(await compare(environment, contenders, { title: 'Invoke by WORKERS', note, rounds }));
  });
}
