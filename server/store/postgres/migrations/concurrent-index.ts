/**
 * Migrations that are nothing but one CREATE INDEX CONCURRENTLY, which locks no writer out while it builds the index, and which
 * PostgreSQL refuses inside a transaction. What an attempt leaves behind, the next one finds.
 */
import type pg from 'pg';
import { createIndex, dropIndex, readIndexState } from './indexes.sql.js';

const pattern = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+"?(?<name>\w+)"?\s+ON\b[^;]*;?$/i;

/** The name of the index, if the script builds one and does nothing else. */
export function concurrentIndexIn(script: string): string | undefined {
  const statement = script.replaceAll(/--.*$/gm, '').trim();
  return pattern.exec(statement)?.groups?.['name'];
}

/** For a transaction on tables that nobody uses yet. Any other script stays as it is. */
export function withoutConcurrency(script: string): string {
  if (concurrentIndexIn(script) === undefined) return script;
  return script.replaceAll(/\bINDEX\s+CONCURRENTLY\b/gi, 'INDEX');
}

/** Does nothing if the index is there. The session must be in no transaction. */
export async function buildIndex(
  client: pg.Client,
  name: string,
  script: string,
  lockTimeoutMs: number,
): Promise<void> {
  const state = await readIndexState(client, name);
  if (state === 'valid') return;
  // Of an attempt that was interrupted: nobody uses it, and everybody has to keep it up to date.
  if (state === 'invalid') await dropIndex(client, name);
  try {
    await createIndex(client, script, lockTimeoutMs);
  } catch (error) {
    await dropIndex(client, name).catch(() => undefined);
    throw error;
  }
}
