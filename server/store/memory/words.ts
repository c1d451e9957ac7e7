/**
 * The vocabulary of an agent's memory, with which a search corrects misspelt words. A background task adds the words of new entries.
 */
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { groupBy } from '../../lib/data/group-by.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { findUnlearnt, learnWordsBetween, wordProgressKey as key } from './learn-words.sql.js';

export { findQueryWords, type QueryWord } from './similar-words.sql.js';

/** Required to learn or delete words of an account, so that no word is learnt from an entry that is being deleted. */
export function lockVocabulary(transaction: Transaction, accountId: string): Promise<void> {
  return takeTransactionLock(transaction, `words ${accountId}`);
}

/** Learns the words of the next `batch` entries with ids below `before`. Returns true if more are pending. */
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
  // Sorted, because clearings take the same locks.
  for (const accountId of [...accounts.keys()].sort()) {
    const ids = (accounts.get(accountId) ?? []).map(({ id }) => id);
    const range = { accountId, first: ids[0] ?? '', last: ids.at(-1) ?? '' };
    await lockVocabulary(transaction, accountId);
    await learnWordsBetween(transaction, range);
  }
  await setting.upsert({ where: { key }, create: { key, value: last }, update: { value: last } });
  return entries.length === batch;
}

/** Deletes words that were last used before the given time. */
export async function deleteOldWords({ prisma }: Connection, before: Date): Promise<void> {
  await prisma.memoryWord.deleteMany({ where: { saidAt: { lt: before } } });
}
