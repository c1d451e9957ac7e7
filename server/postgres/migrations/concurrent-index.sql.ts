/**
 * Migrations that consist of one CREATE INDEX CONCURRENTLY, which does not block writers, and which PostgreSQL refuses inside a
 * transaction. An attempt cleans up after an interrupted one.
 * Why SQL: Prisma supports neither CONCURRENTLY nor invalid indexes.
 */
import type pg from 'pg';

const pattern = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+"?(?<name>\w+)"?\s+ON\b[^;]*;?$/i;

/** Returns the name of the index, if the script only builds an index concurrently. */
export function concurrentIndexIn(script: string): string | undefined {
  const statement = script.replaceAll(/--.*$/gm, '').trim();
  return pattern.exec(statement)?.groups?.['name'];
}

/** For tables that are not in use yet, where the index can be built in a transaction. Returns other scripts unchanged. */
export function withoutConcurrency(script: string): string {
  if (concurrentIndexIn(script) === undefined) return script;
  return script.replaceAll(/\bINDEX\s+CONCURRENTLY\b/gi, 'INDEX');
}

/**
 * Does nothing if the index exists. The session must not be in a transaction. `lockTimeoutMs` limits how long it waits for
 * transactions that must end first.
 */
export async function buildIndex(
  client: pg.Client,
  index: { name: string; script: string; lockTimeoutMs: number },
): Promise<void> {
  const { name, script, lockTimeoutMs } = index;
  const state = await readIndexState(client, name);
  if (state === 'valid') return;
  // An interrupted attempt leaves an invalid index, which slows down writes but is never used.
  if (state === 'invalid') await dropIndex(client, name);
  try {
    await client.query(`SELECT set_config('lock_timeout', $1, false)`, [String(lockTimeoutMs)]);
    await client.query(script);
  } catch (error) {
    await dropIndex(client, name).catch(() => undefined);
    throw error;
  }
}

/** `invalid`: the build was interrupted. Undefined: the index does not exist. */
async function readIndexState(
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

async function dropIndex(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${client.escapeIdentifier(name)}`);
}
