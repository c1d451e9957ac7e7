/** Queries of agents. Every lookup filters by account, so that it never finds another account's agent. */
import type { AgentStatus } from '../../../generated/api.js';
import { deleteWaitingInvocations } from '../invocations/waiting.sql.js';
import { announceChanges } from '../postgres/changes.js';
import type { Transaction } from '../postgres/connection.js';
import { schedulePurges } from '../retention/purges.js';
import { lockAgentExclusively } from './lock.sql.js';
import { currentDate } from '../../lib/time/clock.js';

export {
  type ActiveAgent,
  type DescribedAgent,
  describeAgent,
  findActiveAgent,
  findAgent,
  findAgentMemory,
  type StoredAgent,
} from './find.sql.js';
export { type AgentListing, type AgentQuery, listAgents } from './page.sql.js';

interface AgentChanges {
  model?: string;
  temperature?: number;
  instructions?: string;
}

export async function updateAgent(
  transaction: Transaction,
  id: string,
  changes: AgentChanges & { status?: AgentStatus },
): Promise<void> {
  const data = { ...changes, updatedAt: currentDate() };
  await transaction.prisma.agent.updateMany({ where: { id }, data });
  await announceChanges(transaction, [id]);
}

/**
 * Returns false if there is no such agent. Foreign keys delete its keys and webhooks. A background task later deletes its rows in
 * large tables, which are listed in `purges`.
 */
export async function deleteAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { prisma } = transaction;
  if (!(await lockAgentExclusively(transaction, id))) return false;
  const { name, memoryId, apiKeys, webhooks } = await prisma.agent.findUniqueOrThrow({
    where: { id, accountId },
    select: {
      name: true,
      memoryId: true,
      apiKeys: { select: { id: true } },
      webhooks: { select: { id: true, host: true } },
    },
  });
  await schedulePurges(transaction, accountId, [
    ...historyTables.map((table) => ({ table, ownerId: id, name })),
    { table: 'memory_entries', ownerId: memoryId ?? id, name },
    ...webhooks.map((webhook) => ({
      table: 'deliveries' as const,
      ownerId: webhook.id,
      name: webhook.host,
    })),
  ]);
  const where = { accountId, agentId: id };
  await prisma.sessionLease.deleteMany({ where });
  await prisma.mfaEnrolment.deleteMany({ where });
  await prisma.budgetWindow.deleteMany({ where: { accountId, ownerId: id } });
  await deleteWaitingInvocations(transaction, where);
  await prisma.agent.delete({ where: { id }, select: { id: true } });
  await announceChanges(transaction, [id, ...apiKeys.map((key) => key.id)]);
  return true;
}

const historyTables = [
  'usage_deltas',
  'usage_rollups',
  'deployments',
  'invocations',
  'log_entries',
  'stream_events',
] as const;
