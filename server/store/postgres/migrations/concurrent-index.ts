/**
 * Applies migrations that consist of one CREATE INDEX CONCURRENTLY, which does not block writers, and which PostgreSQL refuses
 * inside a transaction. An attempt cleans up after an interrupted one.
 */
import type pg from 'pg';
import { createIndex, dropIndex, readIndexState } from './indexes.sql.js';

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

/** Does nothing if the index exists. The session must not be in a transaction. */
export async function buildIndex(
  client: pg.Client,
  name: string,
  script: string,
  lockTimeoutMs: number,
): Promise<void> {
  const state = await readIndexState(client, name);
  if (state === 'valid') return;
  // An interrupted attempt leaves an invalid index, which slows down writes but is never used.
  if (state === 'invalid') await dropIndex(client, name);
  try {
    await createIndex(client, script, lockTimeoutMs);
  } catch (error) {
    await dropIndex(client, name).catch(() => undefined);
    throw error;
  }
}
