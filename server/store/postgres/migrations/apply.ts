/** Applies migrations with Prisma's engine, inside the caller's transaction. */
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

/** The lock is held until the session ends. Other programs that change the tables wait for it, such as a starting service. */
export function takeMigrationLock(client: PostgresClient): Promise<void> {
  return takeSessionLock(client, LOCK_KEY);
}

export interface MigrationSelection {
  /** Undefined: all migrations, which completes the upgrade. */
  names?: readonly string[];
  /** Scripts whose index is already built. */
  built?: ReadonlySet<string>;
}

interface MigrationTransaction {
  pool: pg.Pool;
  /** Applies the pending ones of the selected migrations. */
  apply: (directory: string, selection?: MigrationSelection) => Promise<void>;
}

interface TransactionOptions extends DirectConnection {
  /** The name of the session. */
  name: string;
  /** How long a statement waits for a lock, during which other statements wait behind it. Undefined: without a limit. */
  lockTimeoutMs?: number;
}

/** Commits when the work resolves. Otherwise rolls back, and rejects with PostgreSQL's own error. */
export async function withMigrations(
  options: TransactionOptions,
  work: (transaction: MigrationTransaction) => Promise<void>,
): Promise<void> {
  // Uses a single connection that is never replaced, since the transaction belongs to it.
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
    if (selection.names === undefined) {
      await setCompatibleFrom(pool, (await previousRelease()).migration);
    }
  };
  try {
    await inOneTransaction(pool, () => work({ pool, apply }), options.lockTimeoutMs);
  } catch (error) {
    // After a failed script the engine only reports that the transaction is aborted.
    throw failures[0] ?? error;
  } finally {
    // Rolls back uncommitted changes.
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

/** The checksum that Prisma records for an applied script. */
export async function migrationChecksum(directory: string, name: string): Promise<string> {
  const script = await readMigration(directory, name);
  return createHash('sha256').update(script).digest('hex');
}

const lockConflictCodes = ['55P03', '40P01'];

export function isLockConflict(error: unknown): boolean {
  return hasCode(error, ...lockConflictCodes);
}

export function explainFailure(cause: unknown): DatabaseProblem {
  return new DatabaseProblem(
    `A migration failed and was rolled back: ${messageOf(cause)}. ${advice(cause)}`,
    { cause },
  );
}

function advice(cause: unknown): string {
  if (isLockConflict(cause)) {
    return 'Other sessions hold locks on its tables for minutes: end long transactions, or wait for the end of a backup. Then start again.';
  }
  return hasCode(cause, '42501')
    ? 'The user in DATABASE_URL must own the database and its tables. Run ALTER DATABASE … OWNER TO … as an administrator, then start again.'
    : 'Start again once the cause is removed.';
}
