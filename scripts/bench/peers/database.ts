/** A database of a peer, and what is written to it. */
import { PostgresClient } from '../../../server/store/client.js';
import type { BenchCluster } from '../lib/clusters.js';

/** What PostgreSQL has counted, in all. */
export interface Activity {
  transactions: number;
  /** Inserted, updated or deleted. */
  rows: number;
  walBytes: number;
}

/** A backend reports what it did when it is idle for this long at the latest. */
export const reportDelayMs = 11_000;

/** Beside the one in which the cluster has the tables of the service. Owned by the same unprivileged role. */
export async function createDatabase(cluster: BenchCluster, name: string): Promise<string> {
  const url = new URL(cluster.url);
  await withAdmin(cluster, (admin) => admin.query(`CREATE DATABASE ${name} OWNER ${url.username}`));
  url.pathname = `/${name}`;
  return url.href;
}

export async function activityOf(cluster: BenchCluster, databaseUrl: string): Promise<Activity> {
  const { rows } = await withAdmin(cluster, (admin) =>
    admin.query<Activity>({
      text: `SELECT xact_commit::float AS transactions,
                    (tup_inserted + tup_updated + tup_deleted)::float AS rows,
                    (pg_current_wal_lsn() - '0/0')::float AS "walBytes"
               FROM pg_stat_database WHERE datname = $1`,
      values: [new URL(databaseUrl).pathname.slice(1)],
    }),
  );
  return rows[0] ?? { transactions: NaN, rows: NaN, walBytes: NaN };
}

async function withAdmin<T>(
  { adminUrl }: BenchCluster,
  work: (admin: PostgresClient) => Promise<T>,
): Promise<T> {
  const admin = new PostgresClient({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
