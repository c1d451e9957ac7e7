/** Queries of memory entries: search, and lookup by id. Invocations write the entries. */
import type { Connection } from '../postgres/connection.js';
import type { Memory } from './scope.sql.js';

export type { MemoryScope } from './scope.sql.js';
export {
  findMemories,
  maxMatches,
  type MemoryMatch,
  rankByText,
  rankByWords,
  type Ranked,
  type Ranking,
  type StoredMemory,
} from './rank-words.sql.js';

/** How long after the time in its id an entry may become visible, because ids are generated before the commit. */
export const settlingMs = 60_000;

/** Returns the agent's current memory. Undefined: no such agent. */
export async function findMemory(
  { prisma }: Connection,
  accountId: string,
  agentId: string,
): Promise<Memory | undefined> {
  const agent = await prisma.agent.findUnique({
    where: { id: agentId, accountId },
    select: { memoryId: true },
  });
  if (!agent) return undefined;
  const cleared = await prisma.memoryClearance.findMany({
    where: { accountId, agentId },
    select: { userId: true, epoch: true },
  });
  return { accountId, memoryId: agent.memoryId ?? agentId, cleared };
}
