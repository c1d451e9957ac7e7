/**
 * Deletes rows past their retention period, in small batches. The same transaction subtracts them from the counts, so
 * that totals and metrics always match the remaining rows. Agents are locked before their rows, in the same order as
 * deleting an agent; an agent that is being deleted is skipped. Each function returns true if more rows are pending.
 */
import { lowestIdAt } from '../lib/typeid.js';
import type { Transaction } from './connection.js';
import { lockWords } from './memory-words.js';
import { lockAgentsForShare } from './sql/agents-lock.js';
import { deleteOldLogEntries } from './sql/logs-delete-old.js';
import { deleteOldEntries } from './sql/memory-delete.js';
import { addUsage } from './usage.js';

export async function deleteOldLogs(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  return (await deleteOldLogEntries(transaction, before, batch)) === batch;
}

/** Only finished invocations. */
export async function deleteOldInvocations(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  const { invocation } = transaction.prisma;
  const old = await invocation.findMany({
    where: { id: { lt: lowestIdAt('req', before) }, status: { in: ['succeeded', 'failed'] } },
    select: {
      id: true,
      agentId: true,
      createdAt: true,
      status: true,
      durationMs: true,
      tokensUsed: true,
    },
    orderBy: { id: 'asc' },
    take: batch,
  });
  const agents = await lockAgentsForShare(
    transaction,
    old.map(({ agentId }) => agentId),
    { skipLocked: true },
  );
  const deleted = old.filter(({ agentId }) => agents.has(agentId));
  await invocation.deleteMany({ where: { id: { in: deleted.map(({ id }) => id) } } });
  await addUsage(
    transaction,
    deleted.map(({ agentId, createdAt, status, durationMs, tokensUsed }) => ({
      agentId,
      at: createdAt,
      invocations: durationMs === null ? 0 : -1,
      failures: status === 'failed' ? -1 : 0,
      durationMs: -(durationMs ?? 0),
      tokens: -(tokensUsed ?? 0),
    })),
  );
  return deleted.length === batch;
}

export async function deleteOldMemories(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  await lockWords(transaction);
  return (await deleteOldEntries(transaction, lowestIdAt('mem', before), batch)) === batch;
}

/** Deletes their deliveries as well. Keeps events with pending deliveries. */
export async function deleteOldEvents(
  { prisma: { event } }: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  const isDelivered = { deliveries: { none: { status: 'pending' } } } as const;
  const old = await event.findMany({
    where: { id: { lt: lowestIdAt('evt', before) }, ...isDelivered },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: batch,
  });
  const { count } = await event.deleteMany({
    where: { id: { in: old.map(({ id }) => id) }, ...isDelivered },
  });
  return count === batch;
}
