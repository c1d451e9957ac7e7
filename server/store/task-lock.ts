/** Lets one instance at a time do a piece of background work, without any of them knowing the others. */
import type { Database, Transaction } from './database.js';

/**
 * Does the work in a transaction, unless another instance is at it. The lock ends with the transaction, also when the
 * instance dies or a pooler stands in between.
 */
export function withTaskLock<Result>(
  { prisma }: Database,
  task: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  return prisma.$transaction(async (transaction) => {
    const [turn] = await transaction.$queryRaw<{ isMine: boolean }[]>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${`task ${task}`}, 0)) AS "isMine"`;
    return turn?.isMine ? work(transaction) : undefined;
  });
}
