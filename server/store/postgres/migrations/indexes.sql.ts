/**
 * Builds and drops indexes beside those who write.
 * Why SQL: Prisma's engine knows neither CONCURRENTLY nor indexes that were left unfinished.
 */
import type pg from 'pg';

/** `invalid`: building it was interrupted. Undefined: there is none. */
export async function readIndexState(
  client: pg.Client,
  name: string,
): Promise<'valid' | 'invalid' | undefined> {
  const { rows } = await client.query<{ isValid: boolean }>(
    `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1))`,
    [name],
  );
  const [index] = rows;
  return index && (index.isValid ? 'valid' : 'invalid');
}

/** The limit is for how long it waits for the end of transactions that it must not overlap with. */
export async function createIndex(
  client: pg.Client,
  statement: string,
  lockTimeoutMs: number,
): Promise<void> {
  await client.query(`SELECT set_config('lock_timeout', $1, false)`, [String(lockTimeoutMs)]);
  await client.query(statement);
}

export async function dropIndex(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${client.escapeIdentifier(name)}`);
}
