/** Migrates the database at startup: all pending migrations in one transaction, by one instance at a time. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { hasCode, messageOf } from '../../lib/error-code.js';
import { PostgresClient } from '../client.js';
import { DatabaseProblem, explainConnectionFailure } from '../connection-problem.js';
import { assertMayMigrate } from '../missing-rights.js';
import { assertSession } from '../pooler.js';
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
  /** Must connect to PostgreSQL directly: the advisory lock belongs to the session. */
  url: string;
  /** The environment variable that holds the URL, for messages. */
  variable?: string;
  /** The directory of migrations; by default, this release's. */
  directory?: string;
  connectTimeoutMs?: number;
}

const LOCK_KEY = 7_216_945;

/** Returns the names of the migrations applied. Costs one query if there are none. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { url, variable = 'DATABASE_URL', connectTimeoutMs = 5_000 } = options;
  const directory = options.directory ?? MIGRATIONS_DIRECTORY;
  const connection = {
    connectionString: url,
    application_name: 'agent-hosting-service migration',
    connectionTimeoutMillis: connectTimeoutMs,
  };
  const connect = async () => {
    const client = new PostgresClient(connection);
    await client.connect().catch(async (cause: unknown) => {
      await client.end();
      throw explainConnectionFailure(url, variable, cause);
    });
    return client;
  };
  // Holds the lock, so it runs nothing that could break its session.
  const lockClient = await connect();
  try {
    await assertSession(lockClient, connect, variable);
    if ((await pendingMigrations(lockClient, directory)).length === 0) return [];
    await assertMayMigrate(lockClient);
    await takeSessionLock(lockClient, LOCK_KEY);
    const pending = await pendingMigrations(lockClient, directory);
    if (pending.length > 0) await applyInOneTransaction(connection, directory);
    return pending;
  } finally {
    await lockClient.end();
  }
}

async function pendingMigrations(connection: pg.Client, directory: string): Promise<string[]> {
  const state = await readMigrationState(connection, directory).catch((error: unknown) => {
    throw explainFailure(error);
  });
  assertKnownHistory(state);
  return state.pending;
}

function assertKnownHistory({ unknown, unfinished }: MigrationState): void {
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
  // A single connection that is never replaced, since the transaction belongs to it.
  const pool = new pg.Pool({
    ...connection,
    Client: PostgresClient,
    max: 1,
    idleTimeoutMillis: 0,
  });
  pool.on('error', () => undefined);
  const failures: unknown[] = [];
  try {
    await inOneTransaction(pool, () =>
      applyMigrations(pool, directory, (error) => failures.push(error)),
    );
  } catch (error) {
    // Closing the connection rolls back. After a failed script the engine only reports that the transaction is aborted.
    throw explainFailure(failures[0] ?? error);
  } finally {
    await pool.end();
  }
}

async function applyMigrations(
  pool: pg.Pool,
  directory: string,
  onScriptFailure: (error: unknown) => void,
): Promise<void> {
  // Imported lazily, since the engine is large and rarely needed.
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

function explainFailure(cause: unknown): DatabaseProblem {
  const advice = hasCode(cause, '42501')
    ? 'The user in DATABASE_URL must own the database and its tables. Run ALTER DATABASE … OWNER TO … as an administrator, then start again.'
    : 'Start again once the cause is removed.';
  return new DatabaseProblem(
    `A migration failed, and nothing of it was kept: ${messageOf(cause)}. ${advice}`,
    { cause },
  );
}
