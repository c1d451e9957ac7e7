/** Lets one instance at a time do a piece of background work, without any of them knowing the others. */
import type { Transaction } from './connection.js';
import type { Database } from './database.js';
import { tryTransactionLock } from './sql/advisory-lock.js';

/**
 * Does the work in a transaction, unless another instance is at it. The lock ends with the transaction, also when the
 * instance dies or a pooler stands in between.
 */
export function withTaskLock<Result>(
  database: Database,
  task: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (transaction) =>
    (await tryTransactionLock(transaction, `task ${task}`)) ? work(transaction) : undefined,
  );
}
