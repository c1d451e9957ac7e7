/**
 * Reads settings of the installation, and inserts missing ones.
 * Why SQL: every start waits for some settings, and would have to load Prisma's query compiler first.
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

/** Undefined if the setting does not exist. */
export async function readSetting(connection: Queryable, key: string): Promise<unknown> {
  const [setting] = await connection.run<{ value: unknown }>(read, [key]);
  return setting?.value;
}

/** Returns false if the setting exists already. If several instances start together, only the first inserts it. */
export async function insertSetting(
  connection: Queryable,
  key: string,
  value: string | boolean,
): Promise<boolean> {
  const inserted = await connection.run(insert, [key, JSON.stringify(value)]);
  return inserted.length > 0;
}
