/**
 * The vocabulary of an agent's memory, which tells a search what a misspelt word may stand for. Words of new entries are added in
 * the background.
 */
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { groupBy } from '../../lib/data/group-by.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { findUnlearnt, learnWordsBetween, wordProgressKey as key } from './learn-words.sql.js';

export { findQueryWords, type QueryWord } from './similar-words.sql.js';

/** Learning words of an account and deleting those of a user require it, so that no word is learnt from an entry that is being deleted. */
export function lockWords(transaction: Transaction, accountId: string): Promise<void> {
  return takeTransactionLock(transaction, `words ${accountId}`);
}

/**
 * Learns the words of the next `batch` entries with ids below `before`, on one instance at a time. Returns true if more are pending.
 */
export async function learnWords(
  transaction: Transaction,
  { before, batch }: { before: string; batch: number },
): Promise<boolean> {
  const { setting } = transaction.prisma;
  const progress = await setting.findUnique({ where: { key } });
  const after = typeof progress?.value === 'string' ? progress.value : '';
  const entries = await findUnlearnt(transaction, { after, before, batch });
  const last = entries.at(-1)?.id;
  if (last === undefined) return false;
  const accounts = groupBy(entries, ({ accountId }) => accountId);
  // In one order, since clearings take the same locks.
  for (const accountId of [...accounts.keys()].sort()) {
    const ids = (accounts.get(accountId) ?? []).map(({ id }) => id);
    const range = { accountId, first: ids[0] ?? '', last: ids.at(-1) ?? '' };
    await lockWords(transaction, accountId);
    await learnWordsBetween(transaction, range);
  }
  await setting.upsert({ where: { key }, create: { key, value: last }, update: { value: last } });
  return entries.length === batch;
}

/** Deletes words that were said last before then. */
export async function deleteOldWords({ prisma }: Connection, before: Date): Promise<void> {
  await prisma.memoryWord.deleteMany({ where: { saidAt: { lt: before } } });
}
