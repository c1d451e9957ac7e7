/**
 * Reads the applied migrations, and wraps pending ones in one transaction.
 * Why SQL: `_prisma_migrations` is not a model of the client, and the schema engine opens no transaction.
 */
import type pg from 'pg';
import { hasCode } from '../../lib/error-code.js';

export interface MigrationRecord {
  name: string;
  finished: boolean;
}

/** Empty if the database has never been migrated. */
export async function readMigrationRecords(
  connection: pg.Pool | pg.ClientBase,
): Promise<MigrationRecord[]> {
  try {
    const { rows } = await connection.query<MigrationRecord>(
      `SELECT migration_name AS name, finished_at IS NOT NULL AS finished
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

/** The pool must have a single connection, which the transaction belongs to. Closing it rolls back. */
export async function inOneTransaction(pool: pg.Pool, work: () => Promise<void>): Promise<void> {
  await pool.query('BEGIN');
  await work();
  await pool.query('COMMIT');
}
