/** Ensures that only one instance at a time does housekeeping, with an advisory lock. */
import type { Transaction } from './connection.js';
import type { Database } from './database.js';
import { tryTransactionLock } from './advisory-lock.sql.js';

/**
 * Runs the work in a transaction, unless another instance holds the lock. The lock ends with the transaction, even if the
 * instance dies, and works through a pooler.
 */
export function withHousekeepingLock<Result>(
  database: Database,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (transaction) =>
    (await tryTransactionLock(transaction, 'housekeeping')) ? work(transaction) : undefined,
  );
}
