/** Generates histories of several sizes, each of an agent of its own. */
import type pg from 'pg';
import { connectAsAdmin } from '../lib/database.js';
import type { BenchEnvironment } from '../lib/environment.js';
import { newTenant } from '../lib/tenant.js';
import { generateHistory, prepareTexts } from './generate.js';
import type { History } from './measure.js';
import { layOutPartitions } from './partitions.js';

const days = 60;

/** Before the service starts, on tables that are empty. */
export async function generateHistories(
  { cluster, database, secrets }: BenchEnvironment,
  sizes: readonly number[],
): Promise<History[]> {
  const admins: [pg.Client, pg.Client] = [
    await connectAsAdmin(cluster),
    await connectAsAdmin(cluster),
  ];
  try {
    await layOutPartitions(admins[0], days);
    await prepareTexts(admins[0]);
    const histories: History[] = [];
    let firstId = 0;
    for (const entries of sizes) {
      const tenant = await newTenant(database, secrets);
      await generateHistory(admins, { agentId: tenant.agentId, entries, firstId, days });
      histories.push({ tenant, entries });
      firstId += entries;
    }
    return histories;
  } finally {
    await Promise.all(admins.map((admin) => admin.end()));
  }
}
