/**
 * Migrates the database at startup, by one instance at a time: all pending migrations in one transaction, unless one of them builds
 * an index beside the writers, before which the others are committed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseProblem } from '../connection-problem.js';
import { connectDirectly, type DirectConnection } from '../direct-connection.js';
import { assertMayMigrate } from '../missing-rights.js';
import { assertSession } from '../pooler.js';
import { isCompatibleWith } from './apply.sql.js';
import {
  explainFailure,
  isLockedOut,
  type MigrationSelection,
  takeMigrationLock,
  withMigrations,
} from './apply.js';
import { buildIndex, concurrentIndexIn } from './concurrent-index.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
  type MigrationState,
  readMigration,
  readMigrationState,
} from './migrations.js';

export interface MigrateOptions extends DirectConnection {
  /** The directory of migrations; by default, this release's. */
  directory?: string;
  /** How long other instances that are running may wait behind a migration that waits for a lock. */
  lockTimeoutMs?: number;
  /** When to stop trying to get all locks within that time. */
  giveUpAfterMs?: number;
}

const name = 'migration';

/** Returns the names of the migrations applied. Costs one query if there are none. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { directory = MIGRATIONS_DIRECTORY, variable = 'DATABASE_URL' } = options;
  const connect = () => connectDirectly({ ...options, name });
  // Holds the lock, so it runs nothing that could break its session. An index that it builds it builds to the end, though this
  // process may be gone, and keeps the lock meanwhile.
  const lockClient = await connect();
  try {
    await assertSession(lockClient, connect, variable);
    if ((await pendingMigrations(lockClient, directory)).length === 0) return [];
    await assertMayMigrate(lockClient);
    await takeMigrationLock(lockClient);
    const pending = await pendingMigrations(lockClient, directory);
    if (pending.length > 0) await applyAll(lockClient, pending, { ...options, directory });
    return pending;
  } finally {
    await lockClient.end();
  }
}

async function applyAll(
  lockClient: pg.Client,
  pending: readonly string[],
  options: MigrateOptions & { directory: string },
): Promise<void> {
  const { directory, giveUpAfterMs = defaultGiveUpAfterMs } = options;
  const names = await migrationNames(directory);
  const built = new Set<string>();
  // Nobody writes to a database that has nothing yet.
  const isNew = pending.length === names.length;
  for (const migration of isNew ? [] : pending) {
    const script = await readMigration(directory, migration);
    const index = concurrentIndexIn(script);
    if (index === undefined) continue;
    await applyPolitely(options, { names: names.slice(0, names.indexOf(migration)), built });
    await buildIndex(lockClient, index, script, giveUpAfterMs).catch((error: unknown) => {
      throw explainFailure(error);
    });
    built.add(script);
  }
  await applyPolitely(options, { built });
}

/** Under PostgreSQL's `deadlock_timeout`, so that in a deadlock the migration gives way, and not a request. */
const defaultLockTimeoutMs = 500;
const defaultGiveUpAfterMs = 300_000;
const firstPauseMs = 250;
const lastPauseMs = 5_000;

/**
 * While a migration waits for the lock of a table, everybody else waits behind it. So it waits for a moment only, lets them pass,
 * and tries again: an instance of the version before goes on serving.
 */
async function applyPolitely(
  options: MigrateOptions & { directory: string },
  selection: MigrationSelection,
): Promise<void> {
  const {
    directory,
    lockTimeoutMs = defaultLockTimeoutMs,
    giveUpAfterMs = defaultGiveUpAfterMs,
  } = options;
  const deadline = performance.now() + giveUpAfterMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, lastPauseMs)) {
    try {
      await withMigrations({ ...options, name, lockTimeoutMs }, ({ apply }) =>
        apply(directory, selection),
      );
      return;
    } catch (error) {
      if (!isLockedOut(error) || performance.now() > deadline) throw explainFailure(error);
    }
    await delay(pauseMs);
  }
}

async function pendingMigrations(connection: pg.Client, directory: string): Promise<string[]> {
  const state = await readMigrationState(connection, directory).catch((error: unknown) => {
    throw explainFailure(error);
  });
  await assertKnownHistory(connection, state);
  return state.pending;
}

/** A database that the next release has migrated is fine, so that one can go back to the version before without a restore. */
async function assertKnownHistory(
  connection: pg.Client,
  { first, last, pending, unknown, unfinished }: MigrationState,
): Promise<void> {
  if (unknown.some((name) => name < first)) {
    throw new DatabaseProblem(
      `The database was made by a version before the first release (${unknown[0]}), whose tables this one cannot take over. ` +
        'It was left as it is. Start with an empty database: set DATABASE_URL to one, or DATA_DIR to a new directory.',
    );
  }
  const isAhead = unknown.length > 0;
  if (isAhead && (pending.length > 0 || !(await isCompatibleWith(connection, last)))) {
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
