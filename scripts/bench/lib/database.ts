/** Opens the database of a benchmark, to prepare what is measured. */
import type pg from 'pg';
import { PostgresClient } from '../../../server/store/client.js';
import { type Database, openDatabase } from '../../../server/store/database.js';

export function openBenchDatabase(url: string, poolSize = 2): Promise<Database> {
  return openDatabase({ url, poolSize, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000 });
}

/** A superuser on the service's database. */
export async function connectAsAdmin(cluster: {
  url: string;
  adminUrl: string;
}): Promise<pg.Client> {
  const connection = new URL(cluster.adminUrl);
  connection.pathname = new URL(cluster.url).pathname;
  const client = new PostgresClient({ connectionString: connection.href });
  await client.connect();
  return client;
}
