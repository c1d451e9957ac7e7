/** The entries of agents' memories: read by their ids, and forgotten. Invocations write them. */
import type { Transaction } from './database.js';
import { lockWords } from './memory-words.js';
import type { Sql, Statement } from './sql.js';

/** An entry may become visible this much later than its id says: ids are given out before the commit. */
export const settlingMs = 60_000;

export interface StoredMemory {
  id: string;
  content: string;
  role: 'user' | 'agent';
  sessionId: string | null;
  userId: string | null;
  requestId: string;
  createdAt: Date;
}

const byIds: Statement = {
  name: 'memory_by_ids',
  text: `
    SELECT id, content, role, session_id AS "sessionId", user_id AS "userId", request_id AS "requestId",
           created_at AS "createdAt"
      FROM memory_entries WHERE id = ANY ($1)`,
};

/** Those that are still there, in any order. */
export function findMemories(sql: Sql, ids: readonly string[]): Promise<StoredMemory[]> {
  return sql.run<StoredMemory>(byIds, [ids]);
}

export interface MemoryDeletion {
  agentId: string;
  /** Entries that are made later stay. */
  through: string;
  batch: number;
}

/** Deletes up to so many of an agent's entries, oldest first. Undefined: there is no such agent any more. */
export async function deleteMemories(
  transaction: Transaction,
  { agentId, through, batch }: MemoryDeletion,
): Promise<number | undefined> {
  // Before anything of it is touched, as deleting an agent does, so that the two cannot wait for each other in a circle.
  const agents = await transaction.$queryRaw<unknown[]>`
    SELECT FROM agents WHERE id = ${agentId} FOR KEY SHARE`;
  if (agents.length === 0) return undefined;
  await lockWords(transaction);
  return transaction.$executeRaw`
    DELETE FROM memory_entries WHERE id IN (
      SELECT id FROM memory_entries WHERE agent_id = ${agentId} AND id <= ${through} ORDER BY id LIMIT ${batch})`;
}

export async function deleteWords(transaction: Transaction, agentId: string): Promise<void> {
  await transaction.memoryWord.deleteMany({ where: { agentId } });
}
