/** Applies migrations inside the caller's transaction, and explains why one failed. */
import pg from 'pg';
import { hasCode, messageOf } from '../../lib/errors/error-code.js';
import { takeSessionLock } from '../advisory-lock.sql.js';
import { DatabaseProblem } from '../connection-problem.js';
import { withoutConcurrency } from './concurrent-index.sql.js';
import { createHistory, recordMigration } from './history.sql.js';
import { checksumOf, readMigration } from './migrations.js';

const LOCK_KEY = 7_216_945;

/** The lock is held until the session ends. Other programs that change the tables wait for it, such as a starting service. */
export function takeMigrationLock(client: pg.Client): Promise<void> {
  return takeSessionLock(client, LOCK_KEY);
}

/** Commits when the work resolves, and otherwise rolls back. */
export async function inTransaction<Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // Fails if the connection is lost, which rolls back too.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

interface MigrationSelection {
  directory: string;
  names: readonly string[];
  /** Those whose index is already built, which are only recorded. */
  built?: ReadonlySet<string>;
}

/** Throws a DatabaseProblem if a script fails. */
export async function applyMigrations(
  client: pg.ClientBase,
  { directory, names, built }: MigrationSelection,
): Promise<void> {
  await createHistory(client);
  for (const name of names) {
    const script = await readMigration(directory, name);
    const startedAt = performance.now();
    if (built?.has(name) !== true) {
      await client.query(withoutConcurrency(script)).catch((error: unknown) => {
        throw explainFailure(error, { name, script });
      });
    }
    const durationMs = performance.now() - startedAt;
    await recordMigration(client, { name, checksum: checksumOf(script), durationMs });
  }
}

const lockConflictCodes = ['55P03', '40P01'];

export function isLockConflict(error: unknown): boolean {
  return hasCode(error instanceof DatabaseProblem ? error.cause : error, ...lockConflictCodes);
}

interface Migration {
  name: string;
  script: string;
}

/** `migration` is the one that failed; undefined if the transaction around it did. */
export function explainFailure(cause: unknown, migration?: Migration): DatabaseProblem {
  if (cause instanceof DatabaseProblem) return cause;
  const place = migration ? ` Where: ${placeOf(cause, migration)}.` : '';
  return new DatabaseProblem(
    `A migration failed and was rolled back: ${messageOf(cause)}. ${advice(cause)}${place}`,
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

/** PostgreSQL counts the characters of the whole script up to the error, and only for some errors. */
function placeOf(cause: unknown, { name, script }: Migration): string {
  const file = `${name}/migration.sql`;
  const position = cause instanceof pg.DatabaseError ? Number(cause.position ?? 0) : 0;
  if (position === 0) return file;
  const lines = Array.from(script).slice(0, position).join('').split('\n');
  return `${file}, line ${lines.length}, column ${lines.at(-1)?.length ?? 0}`;
}
