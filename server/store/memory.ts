/** Queries of memory entries: search and lookup by id. Invocations write the entries. */
import type { MemoryRole } from '../../generated/prisma/enums.js';
import type { Connection } from './connection.js';
import type { Memory } from './sql/fragments.js';

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

/** Which entries are the agent's now. Undefined: no such agent. */
export async function findMemory(
  { prisma }: Connection,
  agentId: string,
): Promise<Memory | undefined> {
  const agent = await prisma.agent.findUnique({
    where: { id: agentId },
    select: { memoryId: true, memoryClearances: { select: { userId: true, epoch: true } } },
  });
  return agent
    ? { memoryId: agent.memoryId ?? agentId, cleared: agent.memoryClearances }
    : undefined;
}
