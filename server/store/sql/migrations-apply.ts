/**
 * What migrations ask of the database before there are tables, and the one transaction around them.
 * Why SQL: Prisma's records of migrations are no model of its client, and its schema engine opens no transaction.
 */
import type pg from 'pg';
import { hasCode } from '../../lib/error-code.js';

export interface MigrationRecord {
  name: string;
  finished: boolean;
}

/** None if the database has never been migrated. */
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

/** The pool must have one connection, since a transaction belongs to its connection. Closing it rolls back. */
export async function inOneTransaction(pool: pg.Pool, work: () => Promise<void>): Promise<void> {
  await pool.query('BEGIN');
  await work();
  await pool.query('COMMIT');
}
