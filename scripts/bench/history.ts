/** Whether reads over HTTP stay fast when the history of an agent grows a hundredfold. */
import type pg from 'pg';
import { createSecrets } from '../../server/lib/secrets.js';
import { migrate } from '../../server/store/migrations/migrate.js';
import { startScratchCluster } from '../db/scratch.js';
import { generateHistory, prepareTexts } from './history/generate.js';
import { compareReads } from './history/measure.js';
import { layOutPartitions } from './history/partitions.js';
import { connectAsAdmin, openBenchDatabase } from './lib/database.js';
import { type BenchTenant, newTenant } from './lib/tenant.js';

const sizes = { small: 10_000, large: 1_000_000 };
const days = 60;

const masterKey = Buffer.alloc(32, 1);

/** Takes a few minutes, mostly to generate the history in a temporary cluster. */
export async function benchHistory(): Promise<void> {
  const cluster = await startScratchCluster({ durable: true });
  try {
    await migrate({ url: cluster.url });
    const [small, large] = await createTenants(cluster.url);
    const admins: [pg.Client, pg.Client] = [
      await connectAsAdmin(cluster),
      await connectAsAdmin(cluster),
    ];
    try {
      const generate = (what: string, { agentId }: BenchTenant, entries: number, firstId: number) =>
        timed(what, () => generateHistory(admins, { agentId, entries, firstId, days }));
      await layOutPartitions(admins[0], days);
      await timed('texts', () => prepareTexts(admins[0]));
      await generate('small history', small, sizes.small, 0);
      await generate('large history', large, sizes.large, sizes.small);
      await compareReads(cluster.url, masterKey, small, large);
    } finally {
      await Promise.all(admins.map((admin) => admin.end()));
    }
  } finally {
    await cluster.stop();
  }
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`generated the ${what} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

async function createTenants(url: string): Promise<[small: BenchTenant, large: BenchTenant]> {
  const database = await openBenchDatabase(url);
  const secrets = createSecrets(masterKey);
  try {
    return [await newTenant(database, secrets), await newTenant(database, secrets)];
  } finally {
    await database.close();
  }
}
