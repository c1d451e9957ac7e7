/**
 * The record of applied migrations, in the table that Prisma's command line reads and writes.
 * Why SQL: `_prisma_migrations` is not a model of the client.
 */
import type pg from 'pg';
import { hasCode } from '../../lib/errors/error-code.js';

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

/** Returns the name of a table in a database that no migration has created, such as another program's. */
export async function findForeignTable(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = to_regnamespace(current_schema()) AND relkind = 'r'
        AND to_regclass('_prisma_migrations') IS NULL
      LIMIT 1`,
  );
  return rows[0]?.name;
}

/** Exactly as Prisma creates it. */
const CREATE_HISTORY = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

export async function createHistory(client: pg.ClientBase): Promise<void> {
  await client.query(CREATE_HISTORY);
}

export async function recordMigration(
  client: pg.ClientBase,
  migration: { name: string; checksum: string; durationMs: number },
): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, clock_timestamp() - make_interval(secs => $3), clock_timestamp(), 1)`,
    [migration.name, migration.checksum, migration.durationMs / 1000],
  );
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
export async function setCompatibleFrom(client: pg.ClientBase, migration: string): Promise<void> {
  await client.query(
    `INSERT INTO settings (key, value) VALUES ('compatible_from', to_jsonb($1::text))
         ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [migration],
  );
}
