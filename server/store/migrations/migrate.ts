/** Brings a database up to date at start: all pending migrations in one transaction, by one instance at a time. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { messageOf } from '../../lib/error-code.js';
import { DatabaseProblem, explainConnectionFailure } from '../connection-problem.js';
import { takeSessionLock } from '../sql/advisory-lock.js';
import { inOneTransaction } from '../sql/migrations-apply.js';
import {
  MIGRATIONS_DIRECTORY,
  type MigrationState,
  migrationNames,
  readMigration,
  readMigrationState,
  SCHEMA_FILE,
} from './migrations.js';
import type { MigrationList } from './schema-engine.js';

export interface MigrateOptions {
  /** Must lead to PostgreSQL itself: the lock lives in the session. */
  url: string;
  /** From where the address came, for messages. */
  variable?: string;
  /** Where the migrations are; those of this release unless said otherwise. */
  directory?: string;
  connectTimeoutMs?: number;
}

const LOCK_KEY = 7_216_945;

/** Returns the names of the migrations that it applied: none, at the cost of one query, when all were. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { url, variable = 'DATABASE_URL', connectTimeoutMs = 5_000 } = options;
  const directory = options.directory ?? MIGRATIONS_DIRECTORY;
  const connection = {
    connectionString: url,
    application_name: 'agent-hosting-service migration',
    connectionTimeoutMillis: connectTimeoutMs,
  };
  // Keeps the lock, so it does nothing that could cost it its session.
  const guard = new pg.Client(connection);
  guard.on('error', () => undefined);
  try {
    await guard.connect().catch((cause: unknown) => {
      throw explainConnectionFailure(url, variable, cause);
    });
    if ((await pendingMigrations(guard, directory)).length === 0) return [];
    await takeSessionLock(guard, LOCK_KEY);
    const pending = await pendingMigrations(guard, directory);
    if (pending.length > 0) await applyInOneTransaction(connection, directory);
    return pending;
  } finally {
    await guard.end();
  }
}

async function pendingMigrations(connection: pg.Client, directory: string): Promise<string[]> {
  const state = await readMigrationState(connection, directory);
  refuseStrangeHistory(state);
  return state.pending;
}

function refuseStrangeHistory({ unknown, unfinished }: MigrationState): void {
  if (unknown.length > 0) {
    throw new DatabaseProblem(
      `The database is newer than this release: it has had ${unknown.join(', ')}. ` +
        'Start the release that made it, or a later one.',
    );
  }
  if (unfinished.length > 0) {
    throw new DatabaseProblem(
      `The database records ${unfinished.join(', ')} as begun and never finished. ` +
        'Find out what is missing, repair it, and run npx prisma migrate resolve.',
    );
  }
}

async function applyInOneTransaction(connection: pg.PoolConfig, directory: string): Promise<void> {
  // One connection that is never exchanged, since a transaction belongs to its connection.
  const pool = new pg.Pool({ ...connection, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined);
  const failures: unknown[] = [];
  try {
    await inOneTransaction(pool, () =>
      applyMigrations(pool, directory, (error) => failures.push(error)),
    );
  } catch (error) {
    // Closing the connection rolls the transaction back. The engine's own error only says that it was broken.
    const cause = failures[0] ?? error;
    throw new DatabaseProblem(
      `A migration failed, and nothing of it was kept: ${messageOf(cause)}. ${advice(cause)}`,
      { cause },
    );
  } finally {
    await pool.end();
  }
}

async function applyMigrations(
  pool: pg.Pool,
  directory: string,
  onScriptFailure: (error: unknown) => void,
): Promise<void> {
  // Loaded only when there is something to do: the engine is large.
  const { NO_FILTERS, openSchemaEngine } = await import('./schema-engine.js');
  const engine = await openSchemaEngine({
    datamodel: [SCHEMA_FILE, await readFile(SCHEMA_FILE, 'utf8')],
    pool,
    onScriptFailure,
  });
  try {
    const migrationsList = await listMigrations(directory);
    await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
  } finally {
    engine.free();
  }
}

export async function listMigrations(directory: string): Promise<MigrationList> {
  const names = await migrationNames(directory);
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readMigration(directory, name) },
        },
      })),
    ),
  };
}

function advice(cause: unknown): string {
  const lacksPrivilege = cause instanceof pg.DatabaseError && cause.code === '42501';
  return lacksPrivilege
    ? 'The user in DATABASE_URL must own the database. Run ALTER DATABASE … OWNER TO … as an administrator, then start again.'
    : 'Start again once the cause is removed.';
}
