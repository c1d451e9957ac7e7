/**
 * Clears memories. A small one is deleted at once. A large one is put out of sight at once and deleted in the background:
 * an agent's whole memory by giving the agent a new, empty one; that of one user by an epoch, up to which entries of the
 * user are cleared.
 */
import type { Transaction } from '../postgres/connection.js';
import { schedulePurges } from '../retention/purges.js';
import { countEntries } from './clear.sql.js';
import { deleteEntriesOfUser } from './delete.sql.js';
import { findMemory } from './memory.js';
import { lockWords } from './words.js';

/** Whose entries to clear; null: those of all users. */
export interface Clearing {
  accountId: string;
  agentId: string;
  userId: string | null;
  /** How many entries are few enough to be deleted at once. */
  batch: number;
}

/**
 * Returns how many entries it cleared; undefined: no such agent. Clearings of an account follow one another. An entry that is written
 * in the same moment is cleared or kept.
 */
export async function clearMemory(
  transaction: Transaction,
  { accountId, agentId, userId, batch }: Clearing,
): Promise<number | undefined> {
  await lockWords(transaction, accountId);
  const memory = await findMemory(transaction, accountId, agentId);
  if (!memory) return undefined;
  const { memoryId, cleared } = memory;
  const entries = await countEntries(transaction, memory, userId);
  // What is cleared but not deleted yet may be any number of rows.
  const isSmall = entries <= batch && cleared.length === 0;
  if (entries === 0) return 0;
  if (userId === null) {
    if (isSmall) return deleteMemory(transaction, accountId, memoryId);
    await replaceMemory(transaction, accountId, agentId);
  } else {
    const all = { accountId, memoryId, userId, epoch: lastEpoch };
    if (isSmall) return deleteEntriesOfUser(transaction, all, batch);
    await hideEntriesOfUser(transaction, { accountId, agentId, userId });
  }
  return entries;
}

const lastEpoch = 2 ** 31 - 1;

async function deleteMemory(
  { prisma }: Transaction,
  accountId: string,
  agentId: string,
): Promise<number> {
  const where = { accountId, agentId };
  const { count } = await prisma.memoryEntry.deleteMany({ where });
  await prisma.memoryEmbedding.deleteMany({ where });
  await prisma.memoryWord.deleteMany({ where });
  return count;
}

/** Gives the agent a new, empty memory; the present one is purged. */
async function replaceMemory(
  transaction: Transaction,
  accountId: string,
  agentId: string,
): Promise<void> {
  const { memoryClearance } = transaction.prisma;
  const { name, memoryId } = await beginEpoch(transaction, agentId, { isEmpty: true });
  await schedulePurges(transaction, accountId, [
    { table: 'memory_words', ownerId: memoryId ?? agentId, name },
    { table: 'memory_entries', ownerId: memoryId ?? agentId, name },
  ]);
  await memoryClearance.deleteMany({ where: { accountId, agentId } });
}

/** Puts all entries that the user has now out of sight. */
async function hideEntriesOfUser(
  transaction: Transaction,
  { accountId, agentId, userId }: { accountId: string; agentId: string; userId: string },
): Promise<void> {
  const { epoch: next } = await beginEpoch(transaction, agentId);
  const epoch = next - 1;
  await transaction.prisma.memoryClearance.upsert({
    where: { accountId_agentId_userId: { accountId, agentId, userId } },
    create: { accountId, agentId, userId, epoch },
    update: { epoch },
  });
}

/**
 * Entries that are written from now on belong to the next epoch, and with `isEmpty` to a new memory. Clearing is no change of the
 * agent, so its date stays.
 */
async function beginEpoch({ prisma }: Transaction, id: string, { isEmpty = false } = {}) {
  const { updatedAt, name, memoryId, memoryEpoch } = await prisma.agent.findUniqueOrThrow({
    where: { id },
    select: { updatedAt: true, name: true, memoryId: true, memoryEpoch: true },
  });
  const epoch = memoryEpoch + 1;
  const next = isEmpty ? { memoryId: `${id}.${epoch}` } : {};
  const data = { memoryEpoch: epoch, updatedAt, ...next };
  await prisma.agent.update({ where: { id }, data, select: { id: true } });
  return { name, memoryId, epoch };
}

/**
 * Deletes up to `batch` entries of a user, cleared or not, with their words. Returns their number; if it is less than `batch`,
 * nothing of the user is left.
 */
export async function eraseEntriesOfUser(
  transaction: Transaction,
  {
    accountId,
    agentId,
    userId,
    batch,
  }: { accountId: string; agentId: string; userId: string; batch: number },
): Promise<number> {
  const { memoryClearance } = transaction.prisma;
  await lockWords(transaction, accountId);
  const memory = await findMemory(transaction, accountId, agentId);
  if (!memory) return 0;
  const { memoryId } = memory;
  const all = { accountId, memoryId, userId, epoch: lastEpoch };
  const deleted = await deleteEntriesOfUser(transaction, all, batch);
  if (deleted < batch) {
    await memoryClearance.deleteMany({ where: { accountId, agentId, userId } });
  }
  return deleted;
}

/** Deletes up to `batch` entries that a user has cleared. Returns true if more are pending. */
export async function purgeClearedEntries(
  transaction: Transaction,
  batch: number,
): Promise<boolean> {
  const { memoryClearance } = transaction.prisma;
  const next = await memoryClearance.findFirst({
    orderBy: [{ accountId: 'asc' }, { agentId: 'asc' }, { userId: 'asc' }],
  });
  if (!next) return false;
  const { accountId, agentId, userId, epoch } = next;
  await lockWords(transaction, accountId);
  const memory = await findMemory(transaction, accountId, agentId);
  const deleted = memory
    ? await deleteEntriesOfUser(
        transaction,
        { accountId, memoryId: memory.memoryId, userId, epoch },
        batch,
      )
    : 0;
  // A later clearing by the same user has a later epoch, and remains.
  if (deleted < batch) {
    await memoryClearance.deleteMany({ where: { accountId, agentId, userId, epoch } });
  }
  return true;
}
