/** Applies migrations with Prisma's engine, inside a transaction of the caller's. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { hasCode, messageOf } from '../../../lib/errors/error-code.js';
import { PostgresClient } from '../client.js';
import { DatabaseProblem } from '../connection-problem.js';
import { type DirectConnection, sessionName } from '../direct-connection.js';
import { takeSessionLock } from '../advisory-lock.sql.js';
import { inOneTransaction, setCompatibleFrom } from './apply.sql.js';
import { withoutConcurrency } from './concurrent-index.js';
import { migrationNames, previousRelease, readMigration, SCHEMA_FILE } from './migrations.js';
import type { MigrationList } from './schema-engine.js';

const LOCK_KEY = 7_216_945;

/** Held until the session ends: whoever else would change the tables waits, a service that starts among them. */
export function takeMigrationLock(client: PostgresClient): Promise<void> {
  return takeSessionLock(client, LOCK_KEY);
}

export interface MigrationSelection {
  /** Only these. Undefined: all of them, which completes it. */
  names?: readonly string[];
  /** Scripts whose index has been built already. */
  built?: ReadonlySet<string>;
}

export interface MigrationTransaction {
  pool: pg.Pool;
  /** Applies those that are missing. */
  apply: (directory: string, selection?: MigrationSelection) => Promise<void>;
}

export interface TransactionOptions extends DirectConnection {
  /** What the session is called. */
  name: string;
  /** How long a statement waits for a lock, and keeps others waiting behind it. Undefined: as long as it takes. */
  lockTimeoutMs?: number;
}

/** Commits when the work resolves. Rejects with PostgreSQL's own error, and nothing is kept, when it does not. */
export async function withMigrations(
  options: TransactionOptions,
  work: (transaction: MigrationTransaction) => Promise<void>,
): Promise<void> {
  // A single connection that is never replaced, since the transaction belongs to it.
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: sessionName(options.name),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    Client: PostgresClient,
    max: 1,
    idleTimeoutMillis: 0,
  });
  pool.on('error', () => undefined);
  const failures: unknown[] = [];
  const apply: MigrationTransaction['apply'] = async (directory, selection = {}) => {
    await applyMigrations(pool, directory, selection, (error) => failures.push(error));
    if (selection.names === undefined) await setCompatibleFrom(pool, await previousRelease());
  };
  try {
    await inOneTransaction(pool, () => work({ pool, apply }), options.lockTimeoutMs);
  } catch (error) {
    // After a failed script the engine only reports that the transaction is aborted.
    throw failures[0] ?? error;
  } finally {
    // Rolls back what is not committed.
    await pool.end();
  }
}

async function applyMigrations(
  pool: pg.Pool,
  directory: string,
  { names, built }: MigrationSelection,
  onScriptFailure: (error: unknown) => void,
): Promise<void> {
  // Imported lazily, since the engine is large and rarely needed.
  const { NO_FILTERS, openSchemaEngine } = await import('./schema-engine.js');
  const engine = await openSchemaEngine({
    datamodel: [SCHEMA_FILE, await readFile(SCHEMA_FILE, 'utf8')],
    pool,
    runScript: async (script) => {
      if (built?.has(script)) return;
      await pool.query(withoutConcurrency(script)).catch((error: unknown) => {
        onScriptFailure(error);
        throw error;
      });
    },
  });
  try {
    const migrationsList = await listMigrations(directory, names);
    await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
  } finally {
    engine.free();
  }
}

export async function listMigrations(
  directory: string,
  only?: readonly string[],
): Promise<MigrationList> {
  const names = (await migrationNames(directory)).filter((name) => only?.includes(name) ?? true);
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

/** What Prisma records of a script that it has applied. */
export async function migrationChecksum(directory: string, name: string): Promise<string> {
  const script = await readMigration(directory, name);
  return createHash('sha256').update(script).digest('hex');
}

const waitedTooLong = ['55P03', '40P01'];

export function isLockedOut(error: unknown): boolean {
  return hasCode(error, ...waitedTooLong);
}

export function explainFailure(cause: unknown): DatabaseProblem {
  return new DatabaseProblem(
    `A migration failed, and nothing of it was kept: ${messageOf(cause)}. ${advice(cause)}`,
    { cause },
  );
}

function advice(cause: unknown): string {
  if (isLockedOut(cause)) {
    return 'Other sessions hold locks on its tables for minutes: end long transactions, or wait for the end of a backup. Then start again.';
  }
  return hasCode(cause, '42501')
    ? 'The user in DATABASE_URL must own the database and its tables. Run ALTER DATABASE … OWNER TO … as an administrator, then start again.'
    : 'Start again once the cause is removed.';
}
