/**
 * Migrates the database at startup, on one instance at a time. Pending migrations run in one transaction. If one of them builds an
 * index concurrently, the migrations before it are committed first.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseProblem } from '../connection-problem.js';
import { connectDirectly, type DirectConnection } from '../direct-connection.js';
import type { RunningInstance } from '../../installation/instances.sql.js';
import { assertMayMigrate } from '../missing-rights.js';
import { assertNotPooled } from '../pooler.js';
import { readCompatibleFrom } from './apply.sql.js';
import {
  explainFailure,
  isLockConflict,
  type MigrationSelection,
  takeMigrationLock,
  withMigrations,
} from './apply.js';
import { buildIndex, concurrentIndexIn } from './concurrent-index.js';
import {
  canRunOn,
  MIGRATIONS_DIRECTORY,
  migrationNames,
  type MigrationState,
  readMigration,
  readMigrationState,
} from './migrations.js';
import { describeInstances, findOldInstances } from './old-instances.js';

interface MigrateOptions extends DirectConnection {
  /** The directory of migrations; by default, this release's. */
  directory?: string;
  /** How long a migration waits for a lock in one attempt, during which other instances wait behind it. */
  lockTimeoutMs?: number;
  /** How long to repeat such attempts. */
  giveUpAfterMs?: number;
  /** Called before migrations that the running instances in the message may not survive. Nothing is changed if it throws. */
  onOldInstances?: (message: string) => void;
}

const name = 'migration';

/** Returns the names of the migrations applied. Costs one query if there are none. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { directory = MIGRATIONS_DIRECTORY, variable = 'DATABASE_URL' } = options;
  const connect = () => connectDirectly({ ...options, name });
  // Holds the lock, so it runs nothing that could break its session. It also builds indexes: if this process dies, PostgreSQL
  // finishes the index, and keeps the lock until then.
  const lockClient = await connect();
  try {
    await assertNotPooled(lockClient, connect, variable);
    if ((await pendingMigrations(lockClient, directory)).length === 0) return [];
    await assertMayMigrate(lockClient);
    await takeMigrationLock(lockClient);
    const pending = await pendingMigrations(lockClient, directory);
    if (pending.length === 0) return [];
    const old = await findOldInstances(lockClient);
    if (old.length > 0) options.onOldInstances?.(warningAbout(old));
    await applyAll(lockClient, pending, { ...options, directory });
    return pending;
  } finally {
    await lockClient.end();
  }
}

function warningAbout(old: readonly RunningInstance[]): string {
  return (
    `These are older than the release before this one, and may fail on its tables: ${describeInstances(old)}. ` +
    'Upgrade one release at a time, or stop them first.'
  );
}

async function applyAll(
  lockClient: pg.Client,
  pending: readonly string[],
  options: MigrateOptions & { directory: string },
): Promise<void> {
  const { directory, giveUpAfterMs = defaultGiveUpAfterMs } = options;
  const names = await migrationNames(directory);
  const built = new Set<string>();
  // A new database has no writers, so its indexes need not be built concurrently.
  const isNew = pending.length === names.length;
  for (const migration of isNew ? [] : pending) {
    const script = await readMigration(directory, migration);
    const index = concurrentIndexIn(script);
    if (index === undefined) continue;
    await applyWithRetries(options, { names: names.slice(0, names.indexOf(migration)), built });
    await buildIndex(lockClient, index, script, giveUpAfterMs).catch((error: unknown) => {
      throw explainFailure(error);
    });
    built.add(script);
  }
  await applyWithRetries(options, { built });
}

/** Below PostgreSQL's `deadlock_timeout`, so that in a deadlock the migration fails, and not a request. */
const defaultLockTimeoutMs = 500;
const defaultGiveUpAfterMs = 300_000;
const firstPauseMs = 250;
const lastPauseMs = 5_000;

/**
 * While a migration waits for a table lock, all other statements on the table wait behind it. So it waits only briefly, lets them
 * pass, and tries again, so that instances of the previous version can continue to serve requests.
 */
async function applyWithRetries(
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
      if (!isLockConflict(error) || performance.now() > deadline) throw explainFailure(error);
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

/** Accepts a database that the next release has migrated, so that an upgrade can be undone without a restore. */
async function assertKnownHistory(connection: pg.Client, state: MigrationState): Promise<void> {
  const { first, unknown, unfinished } = state;
  if (unknown.some((name) => name < first)) {
    throw new DatabaseProblem(
      `The database was created by a version before the first release (${unknown[0]}), whose tables this one cannot take over. ` +
        'It was left as it is. Start with an empty database: set DATABASE_URL to one, or DATA_DIR to a new directory.',
    );
  }
  if (unknown.length > 0 && !canRunOn(state, await readCompatibleFrom(connection))) {
    throw new DatabaseProblem(
      `The database is newer than this release: it has the migrations ${unknown.join(', ')}. ` +
        'Start the release that applied them, or a later one.',
    );
  }
  if (unfinished.length > 0) {
    throw new DatabaseProblem(
      `The database records ${unfinished.join(', ')} as started but never finished. ` +
        'Find out what is missing, repair it, and run npx prisma migrate resolve.',
    );
  }
}
