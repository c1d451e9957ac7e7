/**
 * The vocabulary of an agent's memory, which tells a search what a misspelt word may stand for. Words of new entries are added in
 * the background.
 */
import type { Connection, Transaction } from '../postgres/connection.js';
import { learnWordsBetween, wordProgressKey as key } from './learn-words.sql.js';

export { findQueryWords, type QueryWord } from './similar-words.sql.js';

/**
 * Takes the lock that learning words and deleting those of a user require, so that no word is learnt from an entry that is being
 * deleted. Returns the id up to which words are learnt. The upsert takes the row lock even though it changes nothing.
 */
export async function lockWords({ prisma }: Transaction): Promise<string> {
  const { value } = await prisma.setting.upsert({
    where: { key },
    create: { key, value: '' },
    update: { key },
  });
  return typeof value === 'string' ? value : '';
}

/** Learns the words of the next `batch` entries with ids below `before`. Returns true if more are pending. */
export async function learnWords(
  transaction: Transaction,
  { before, batch }: { before: string; batch: number },
): Promise<boolean> {
  const after = await lockWords(transaction);
  const learnt = await learnWordsBetween(transaction, { after, before, batch });
  if (learnt.through === null) return false;
  await transaction.prisma.setting.update({ where: { key }, data: { value: learnt.through } });
  return learnt.entries === batch;
}

/** Deletes words that were said last before then. */
export async function deleteOldWords({ prisma }: Connection, before: Date): Promise<void> {
  await prisma.memoryWord.deleteMany({ where: { saidAt: { lt: before } } });
}
