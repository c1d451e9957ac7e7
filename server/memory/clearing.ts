/** Clears memories: all of a memory, by giving the agent a new, empty one, or the entries of one user, by deleting them. */
import { randomUUID } from 'node:crypto';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import type { Database } from '../postgres/database.js';
import type { Transaction } from '../postgres/connection.js';
import { schedulePurges } from '../postgres/retention/purges.js';
import { deleteUserEntries } from './delete.sql.js';

interface AgentKey {
  accountId: string;
  agentId: string;
}

/**
 * Gives the agent a new, empty memory; a background task deletes the entries of the current one. Returns their number, or undefined if
 * there is no such agent. An entry that is written at the same time may be cleared or kept. Keeps `updatedAt`, because clearing does not
 * change the agent.
 */
export async function replaceMemory(
  transaction: Transaction,
  { accountId, agentId }: AgentKey,
): Promise<number | undefined> {
  const { prisma } = transaction;
  await lockMemory(transaction, agentId);
  const agent = await prisma.agent.findUnique({
    where: { id: agentId, accountId },
    select: { name: true, memoryId: true, updatedAt: true },
  });
  if (!agent) return undefined;
  const { name, updatedAt } = agent;
  const ownerId = agent.memoryId ?? agentId;
  const entries = await prisma.memoryEntry.count({ where: { accountId, agentId: ownerId } });
  if (entries === 0) return 0;
  const memoryId = `${agentId}.${randomUUID()}`;
  await prisma.agent.updateMany({ where: { id: agentId }, data: { memoryId, updatedAt } });
  await schedulePurges(transaction, accountId, [{ table: 'memory_entries', ownerId, name }]);
  return entries;
}

/**
 * Deletes the entries of a user, in transactions of up to `batch` entries, and returns their number. If it is interrupted, a repeat
 * deletes the rest.
 */
export async function deleteEntriesOfUser(
  database: Database,
  { accountId, agentId, userId, batch = 2_000 }: AgentKey & { userId: string; batch?: number },
): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    deleted = await database.transaction(async (transaction) => {
      await lockMemory(transaction, agentId);
      const agent = await transaction.prisma.agent.findUnique({
        where: { id: agentId, accountId },
        select: { memoryId: true },
      });
      if (!agent) return 0;
      const memory = { accountId, memoryId: agent.memoryId ?? agentId };
      return deleteUserEntries(transaction, memory, userId, batch);
    });
    total += deleted;
  } while (deleted > 0);
  return total;
}

/** Makes simultaneous clearings wait for each other, so that each entry is counted once, and none answers before all are deleted. */
function lockMemory(transaction: Transaction, agentId: string): Promise<void> {
  return takeTransactionLock(transaction, `memory ${agentId}`);
}
