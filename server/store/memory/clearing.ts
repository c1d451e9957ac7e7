/**
 * Clears memories. A small one is deleted at once. A large one is put out of sight at once and deleted in the background:
 * an agent's whole memory by giving the agent a new, empty one; that of one user by an epoch, up to which entries of the
 * user are cleared.
 */
import type { Transaction } from '../postgres/connection.js';
import { findMemory } from './memory.js';
import { lockWords } from './words.js';
import { lockAgentExclusively, lockAgentsForShare } from '../agents/lock.sql.js';
import { countEntries, hideEntriesOfUser, replaceMemory } from './clear.sql.js';
import { deleteEntriesOfUser } from './delete.sql.js';

/** Whose entries to clear; null: those of all users. */
export interface Clearing {
  agentId: string;
  userId: string | null;
  /** How many entries are few enough to be deleted at once. */
  batch: number;
}

/**
 * Returns how many entries it cleared; undefined: no such agent. While the agent is locked no entry is being written, so
 * that each is either counted and cleared, or written afterwards and kept.
 */
export async function clearMemory(
  transaction: Transaction,
  { agentId, userId, batch }: Clearing,
): Promise<number | undefined> {
  await lockWords(transaction);
  const isLocked = await lockAgentExclusively(transaction, agentId);
  const memory = isLocked ? await findMemory(transaction, agentId) : undefined;
  if (!memory) return undefined;
  const { memoryId, cleared } = memory;
  const entries = await countEntries(transaction, memory, userId);
  // What is cleared but not deleted yet may be any number of rows.
  const isSmall = entries <= batch && cleared.length === 0;
  if (entries === 0) return 0;
  if (userId === null) {
    if (isSmall) await deleteMemory(transaction, memoryId);
    else await replaceMemory(transaction, agentId, memoryId);
  } else {
    const all = { memoryId, userId, epoch: lastEpoch };
    if (isSmall) await deleteEntriesOfUser(transaction, all, batch);
    else await hideEntriesOfUser(transaction, agentId, userId);
  }
  return entries;
}

const lastEpoch = 2 ** 31 - 1;

async function deleteMemory({ prisma }: Transaction, memoryId: string): Promise<void> {
  await prisma.memoryEntry.deleteMany({ where: { agentId: memoryId } });
  await prisma.memoryEmbedding.deleteMany({ where: { agentId: memoryId } });
  await prisma.memoryWord.deleteMany({ where: { agentId: memoryId } });
}

/**
 * Deletes up to `batch` entries of a user, cleared or not, with their words. Returns their number; if it is less than `batch`,
 * nothing of the user is left.
 */
export async function eraseEntriesOfUser(
  transaction: Transaction,
  { agentId, userId, batch }: { agentId: string; userId: string; batch: number },
): Promise<number> {
  const { memoryClearance } = transaction.prisma;
  await lockWords(transaction);
  await lockAgentsForShare(transaction, [agentId]);
  const memory = await findMemory(transaction, agentId);
  if (!memory) return 0;
  const { memoryId } = memory;
  const all = { memoryId, userId, epoch: lastEpoch };
  const deleted = await deleteEntriesOfUser(transaction, all, batch);
  if (deleted < batch) await memoryClearance.deleteMany({ where: { agentId, userId } });
  return deleted;
}

/** Deletes up to `batch` entries that a user has cleared. Returns true if more are pending. */
export async function purgeClearedEntries(
  transaction: Transaction,
  batch: number,
): Promise<boolean> {
  const { memoryClearance } = transaction.prisma;
  const next = await memoryClearance.findFirst({
    orderBy: [{ agentId: 'asc' }, { userId: 'asc' }],
  });
  if (!next) return false;
  const { agentId, userId, epoch } = next;
  await lockWords(transaction);
  await lockAgentsForShare(transaction, [agentId]);
  const memory = await findMemory(transaction, agentId);
  const deleted = memory
    ? await deleteEntriesOfUser(transaction, { memoryId: memory.memoryId, userId, epoch }, batch)
    : 0;
  // A later clearing by the same user has a later epoch, and remains.
  if (deleted < batch) await memoryClearance.deleteMany({ where: { agentId, userId, epoch } });
  return true;
}
