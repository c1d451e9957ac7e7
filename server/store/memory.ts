/** Queries of memory entries: search, lookup by id, and deletion. Invocations write the entries. */
import type { MemoryRole } from '../../generated/prisma/enums.js';
import type { Connection, Transaction } from './connection.js';
import { lockWords } from './memory-words.js';
import { lockAgentsForShare } from './sql/agents-lock.js';
import { deleteEntriesOfUser } from './sql/memory-delete.js';

export type { MemoryScope } from './sql/fragments.js';
export {
  maxMatches,
  type MemoryLookup,
  rankByText,
  rankByWords,
  type Ranked,
  type Ranking,
  type SearchWord,
} from './sql/memory-rank-words.js';

/** How long after the time in its id an entry may become visible: ids are generated before the commit. */
export const settlingMs = 60_000;

export interface StoredMemory {
  id: string;
  content: string;
  role: MemoryRole;
  sessionId: string | null;
  userId: string | null;
  requestId: string;
  createdAt: Date;
}

/** Returns the entries that still exist, in any order. */
export function findMemories(
  { prisma }: Connection,
  ids: readonly string[],
): Promise<StoredMemory[]> {
  return prisma.memoryEntry.findMany({
    where: { id: { in: [...ids] } },
    select: {
      id: true,
      content: true,
      role: true,
      sessionId: true,
      userId: true,
      requestId: true,
      createdAt: true,
    },
  });
}

export interface MemoryDeletion {
  agentId: string;
  /** Null: of all users. */
  userId: string | null;
  /** The last id to delete; later entries stay. */
  through: string;
  batch: number;
}

/** Deletes about `batch` of an agent's entries; fewer if none remain. Undefined: no such agent. */
export async function deleteMemories(
  transaction: Transaction,
  { agentId, userId, through, batch }: MemoryDeletion,
): Promise<number | undefined> {
  const { memoryEntry } = transaction.prisma;
  // Locks the agent before its words and entries, in the same order as deleting an agent, to avoid a deadlock.
  const agents = await lockAgentsForShare(transaction, [agentId]);
  if (agents.size === 0) return undefined;
  const counted = await lockWords(transaction);
  if (userId !== null) {
    return deleteEntriesOfUser(transaction, { agentId, userId }, { through, counted, batch });
  }
  const lastOfBatch = await memoryEntry.findFirst({
    where: { agentId, id: { lte: through } },
    select: { id: true },
    orderBy: { id: 'asc' },
    skip: batch - 1,
  });
  const { count } = await memoryEntry.deleteMany({
    where: { agentId, id: { lte: lastOfBatch?.id ?? through } },
  });
  return count;
}

export async function deleteWords({ prisma }: Connection, agentId: string): Promise<void> {
  await prisma.memoryWord.deleteMany({ where: { agentId } });
}
