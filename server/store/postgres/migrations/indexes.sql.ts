/**
 * Builds and drops indexes without blocking writers.
 * Why SQL: Prisma's engine supports neither CONCURRENTLY nor invalid indexes.
 */
import type pg from 'pg';

/** `invalid`: the build was interrupted. Undefined: the index does not exist. */
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

/** `lockTimeoutMs` limits how long it waits for transactions that must end first. */
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
