/**
 * Clears memories. A small memory is deleted at once. A large memory is hidden at once and deleted in the background: for all
 * users, the agent gets a new, empty memory; for one user, an epoch is stored, up to which the user's entries are cleared.
 */
import type { Transaction } from '../postgres/connection.js';
import { schedulePurges } from '../retention/purges.js';
import { countEntries } from './clear.sql.js';
import { deleteEntriesOfUser } from './delete.sql.js';
import { findMemory } from './memory.js';
import { lockVocabulary } from './words.js';

export interface Clearing {
  accountId: string;
  agentId: string;
  /** Null: clears the entries of all users. */
  userId: string | null;
  /** The maximum number of entries to delete at once. */
  batch: number;
}

/**
 * Returns the number of cleared entries. Undefined: no such agent. Clearings of an account run one after another. An entry that is
 * written at the same time may be cleared or kept.
 */
export async function clearMemory(
  transaction: Transaction,
  { accountId, agentId, userId, batch }: Clearing,
): Promise<number | undefined> {
  await lockVocabulary(transaction, accountId);
  const memory = await findMemory(transaction, accountId, agentId);
  if (!memory) return undefined;
  const { memoryId, cleared } = memory;
  const entries = await countEntries(transaction, memory, userId);
  // There may be any number of entries that are cleared but not deleted yet.
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

/** Gives the agent a new, empty memory, and schedules the current one for deletion. */
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

/** Hides all current entries of the user. */
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
 * Entries that are written from now on belong to the next epoch, and with `isEmpty` to a new memory. Keeps `updatedAt`, because
 * clearing does not change the agent.
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
 * Deletes up to `batch` entries of a user, cleared or not, with their words. Returns the number deleted; if it is less than
 * `batch`, the user has no more entries.
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
  await lockVocabulary(transaction, accountId);
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

/** Deletes up to `batch` cleared entries of a user. Returns true if more are pending. */
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
  await lockVocabulary(transaction, accountId);
  const memory = await findMemory(transaction, accountId, agentId);
  const deleted = memory
    ? await deleteEntriesOfUser(
        transaction,
        { accountId, memoryId: memory.memoryId, userId, epoch },
        batch,
      )
    : 0;
  // A later clearing for the same user has a later epoch, and remains.
  if (deleted < batch) {
    await memoryClearance.deleteMany({ where: { accountId, agentId, userId, epoch } });
  }
  return true;
}
