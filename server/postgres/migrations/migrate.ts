/**
 * Migrates the database at startup, on one instance at a time. Pending migrations run in one transaction. If one of them builds an
 * index concurrently, the migrations before it are committed first.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseProblem } from '../connection-problem.js';
import { assertNotPooled, connectDirectly, type DirectConnection } from '../direct-connection.js';
import { readRunning, type RunningInstance } from '../instances.js';
import {
  applyMigrations,
  explainFailure,
  inTransaction,
  isLockConflict,
  takeMigrationLock,
} from './apply.js';
import { buildIndex, concurrentIndexIn } from './concurrent-index.sql.js';
import { findForeignTable, readCompatibleFrom, setCompatibleFrom } from './history.sql.js';
import {
  canRunOn,
  MIGRATIONS_DIRECTORY,
  migrationNames,
  type MigrationState,
  previousRelease,
  problemWithOldData,
  readMigration,
  readMigrationState,
} from './migrations.js';
import { assertMayMigrate } from './rights.sql.js';

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

/** Returns the names of the migrations applied. Costs one query if there are none. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { directory = MIGRATIONS_DIRECTORY, variable = 'DATABASE_URL' } = options;
  const connect = () => connectDirectly({ ...options, name: 'migration' });
  // One session holds the lock and migrates. If it is lost, PostgreSQL rolls back, or finishes the index that it builds, and then
  // releases the lock.
  const client = await connect();
  try {
    await assertNotPooled(client, connect, variable);
    if ((await pendingMigrations(client, directory)).length === 0) return [];
    await assertMayMigrate(client);
    await takeMigrationLock(client);
    const pending = await pendingMigrations(client, directory);
    if (pending.length === 0) return [];
    await assertNoForeignTables(client);
    const old = await findOldInstances(client);
    if (old.length > 0) options.onOldInstances?.(warningAbout(old));
    await applyAll(client, pending, { ...options, directory });
    return pending;
  } finally {
    await client.end();
  }
}

function warningAbout(old: readonly RunningInstance[]): string {
  return (
    `These are older than the release before this one, and may fail on its tables: ${describeInstances(old)}. ` +
    'Upgrade one release at a time, or stop them first.'
  );
}

type ApplyOptions = MigrateOptions & { directory: string };

async function applyAll(
  client: pg.Client,
  pending: readonly string[],
  options: ApplyOptions,
): Promise<void> {
  const { directory, giveUpAfterMs = defaultGiveUpAfterMs } = options;
  // A new database has no writers, so its indexes need not be built concurrently.
  const isNew = pending.length === (await migrationNames(directory)).length;
  const built = new Set<string>();
  let names: string[] = [];
  for (const name of pending) {
    const script = await readMigration(directory, name);
    const index = isNew ? undefined : concurrentIndexIn(script);
    if (index !== undefined) {
      const before = { directory, names, built };
      await commitWithRetries(client, options, () => applyMigrations(client, before));
      const build = { name: index, script, lockTimeoutMs: giveUpAfterMs };
      await buildIndex(client, build).catch((error: unknown) => {
        throw explainFailure(error, { name, script });
      });
      built.add(name);
      names = [];
    }
    names.push(name);
  }
  await commitWithRetries(client, options, async () => {
    await applyMigrations(client, { directory, names, built });
    await setCompatibleFrom(client, (await previousRelease()).migration);
  });
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
async function commitWithRetries(
  client: pg.Client,
  options: ApplyOptions,
  work: () => Promise<void>,
): Promise<void> {
  const { lockTimeoutMs = defaultLockTimeoutMs, giveUpAfterMs = defaultGiveUpAfterMs } = options;
  const deadline = performance.now() + giveUpAfterMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, lastPauseMs)) {
    try {
      await inTransaction(client, async () => {
        await client.query(`SELECT set_config('lock_timeout', $1, true)`, [String(lockTimeoutMs)]);
        await work();
      });
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
  const { unknown, unfinished } = state;
  const problem = problemWithOldData(state);
  if (problem !== undefined) {
    throw new DatabaseProblem(
      `${problem} It was left as it is. Start with an empty database: set DATABASE_URL to one, or DATA_DIR to a new directory.`,
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

async function assertNoForeignTables(client: pg.Client): Promise<void> {
  const table = await findForeignTable(client);
  if (table === undefined) return;
  throw new DatabaseProblem(
    `The database is not empty: it has tables that are not the service's, such as ${table}. ` +
      'It was left as it is. Set DATABASE_URL to an empty database.',
  );
}

/** Running instances that the pending migrations of this release may break: it is compatible with the previous release only. */
async function findOldInstances(client: pg.ClientBase): Promise<RunningInstance[]> {
  const [{ version: oldest }, running] = await Promise.all([
    previousRelease(),
    readRunning(client),
  ]);
  return running.filter(({ version }) => isEarlier(version, oldest));
}

function describeInstances(instances: readonly RunningInstance[]): string {
  return instances
    .map(({ role, version, host, pid }) => `${role} ${version} on ${host} (process ${pid})`)
    .join(', ');
}

function isEarlier(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}
