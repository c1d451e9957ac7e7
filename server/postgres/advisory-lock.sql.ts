/**
 * Advisory locks.
 * Why SQL: Prisma has no advisory locks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Queryable, Statement, Transaction } from './connection.js';

const tryUntilCommit: Statement = {
  name: 'advisory_lock_transaction',
  text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
};

/** The lock is held until the transaction ends. Returns false if another session holds it. */
export async function tryTransactionLock(transaction: Transaction, name: string): Promise<boolean> {
  const [lock] = await transaction.run<{ locked: boolean }>(tryUntilCommit, [name]);
  return lock?.locked === true;
}

const takeUntilCommit: Statement = {
  name: 'advisory_lock_wait_transaction',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text',
};

/** The lock is held until the transaction ends. Waits if another session holds it. */
export async function takeTransactionLock(transaction: Queryable, name: string): Promise<void> {
  await transaction.run(takeUntilCommit, [name]);
}

const pollMs = 100;

/**
 * The lock is held until the session ends. Polls if another session holds it: CREATE INDEX CONCURRENTLY waits for all running
 * statements, so a statement that waits for the lock of the session that builds the index would deadlock.
 */
export async function takeSessionLock(client: pg.Client, key: number): Promise<void> {
  while (!(await trySessionLock(client, key))) await delay(pollMs);
}

/** The lock is held until the session ends. Returns false if another session holds it. */
async function trySessionLock(client: pg.Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS locked',
    [key],
  );
  return rows[0]?.locked === true;
}
