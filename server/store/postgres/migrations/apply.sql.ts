/**
 * Reads the applied migrations, and runs pending ones in one transaction.
 * Why SQL: `_prisma_migrations` is not a model of the client, and the schema engine opens no transaction.
 */
import type pg from 'pg';
import { hasCode } from '../../../lib/errors/error-code.js';

interface MigrationRecord {
  name: string;
  /** The SHA-256 of its script. */
  checksum: string;
  finished: boolean;
}

/** Empty if the database has never been migrated. */
export async function readMigrationRecords(
  connection: pg.Pool | pg.ClientBase,
): Promise<MigrationRecord[]> {
  try {
    const { rows } = await connection.query<MigrationRecord>(
      `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
         FROM _prisma_migrations
        WHERE rolled_back_at IS NULL
        ORDER BY migration_name`,
    );
    return rows;
  } catch (error) {
    const tableIsMissing = hasCode(error, '42P01');
    if (tableIsMissing) return [];
    throw error;
  }
}

/** The first migration whose release can run on the tables, as the release that applied the last one has recorded. */
export async function readCompatibleFrom(
  connection: pg.Pool | pg.ClientBase,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ oldest: string }>(
    `SELECT value #>> '{}' AS oldest FROM settings WHERE key = 'compatible_from'`,
  );
  return rows[0]?.oldest;
}

/** Records that releases with this migration or later ones can run on the tables. */
export async function setCompatibleFrom(pool: pg.Pool, migration: string): Promise<void> {
  await pool.query(
    `INSERT INTO settings (key, value) VALUES ('compatible_from', to_jsonb($1::text))
         ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [migration],
  );
}

/** The pool must have a single connection, to which the transaction belongs. Closing it rolls back. */
export async function inOneTransaction(
  pool: pg.Pool,
  work: () => Promise<void>,
  lockTimeoutMs = 0,
): Promise<void> {
  await pool.query('BEGIN');
  await pool.query(`SELECT set_config('lock_timeout', $1, true)`, [String(lockTimeoutMs)]);
  await work();
  // AND CHAIN fails without a transaction: the pool may have replaced a lost connection by one that has nothing to commit.
  const { command } = await pool.query('COMMIT AND CHAIN');
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back.');
}
