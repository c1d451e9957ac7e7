/**
 * Reads settings of the installation, and inserts those that are missing.
 * Why SQL: every start waits for some, and would have to load Prisma's query compiler for them.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

const read: Statement = {
  name: 'setting_read',
  text: 'SELECT value FROM settings WHERE key = $1',
};

const insert: Statement = {
  name: 'setting_insert',
  text: `
    INSERT INTO settings (key, value) VALUES ($1, $2::jsonb)
    ON CONFLICT (key) DO NOTHING
    RETURNING key`,
};

/** Undefined if it is not set. */
export async function readSetting(connection: Queryable, key: string): Promise<unknown> {
  const [setting] = await connection.run<{ value: unknown }>(read, [key]);
  return setting?.value;
}

/** Returns false if it is set already: of several instances that start together, the first one inserts it. */
export async function insertSetting(
  connection: Queryable,
  key: string,
  value: string | boolean,
): Promise<boolean> {
  const inserted = await connection.run(insert, [key, JSON.stringify(value)]);
  return inserted.length > 0;
}
