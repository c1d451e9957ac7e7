/**
 * The words of an agent's memory, each with the number of entries that contain it, so that a search can weigh rare words
 * and correct misspellings. New entries are counted in the background.
 */
import type { Connection, Transaction } from './connection.js';
import {
  countWordsBetween,
  forgetWordsBetween,
  wordForgottenKey,
  wordProgressKey as key,
} from './sql/memory-count-words.js';

export { parseQuery, type QueryWord, type SimilarWord } from './sql/memory-parse-query.js';

/**
 * Takes the lock that every change to the counts requires, so that no entry is counted while it is deleted. Returns the
 * id up to which entries are counted. The upsert takes the row lock even though it changes nothing.
 */
export async function lockWords({ prisma }: Transaction): Promise<string> {
  const { value } = await prisma.setting.upsert({
    where: { key },
    create: { key, value: '' },
    update: { key },
  });
  return typeof value === 'string' ? value : '';
}

/** Counts the words of the next `batch` entries with ids below `before`. Returns true if more are pending. */
export async function countWords(
  transaction: Transaction,
  { before, batch }: { before: string; batch: number },
): Promise<boolean> {
  const after = await lockWords(transaction);
  const counted = await countWordsBetween(transaction, { after, before, batch });
  if (counted.through === null) return false;
  await transaction.prisma.setting.update({
    where: { key },
    data: { value: counted.through },
  });
  return counted.entries === batch;
}

/** `more`: there are others to subtract. `uncounted`: they have to be counted first, which another task does. */
export type Forgetting = 'done' | 'more' | 'uncounted';

/** Subtracts the words of the next `batch` entries with ids below `before`, which are about to be dropped. */
export async function forgetWords(
  transaction: Transaction,
  { before, batch }: { before: string; batch: number },
): Promise<Forgetting> {
  const { memoryEntry, setting } = transaction.prisma;
  const counted = await lockWords(transaction);
  const uncounted = await memoryEntry.findFirst({
    where: { id: { gt: counted, lt: before } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  if (uncounted) return 'uncounted';
  const found = await setting.findUnique({ where: { key: wordForgottenKey } });
  const after = typeof found?.value === 'string' ? found.value : '';
  const forgotten = await forgetWordsBetween(transaction, { after, before, batch });
  const { through: value } = forgotten;
  if (value !== null) {
    const where = { key: wordForgottenKey };
    await setting.upsert({ where, create: { ...where, value }, update: { value } });
  }
  return forgotten.entries < batch ? 'done' : 'more';
}

export async function deleteUnusedWords({ prisma }: Connection): Promise<void> {
  await prisma.memoryWord.deleteMany({ where: { entries: { lte: 0 } } });
}
