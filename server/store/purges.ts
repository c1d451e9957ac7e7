/**
 * Deletes what belonged to deleted agents, replaced memories and deleted webhooks, in small batches. Nothing finds these
 * rows any more, and nobody adds to them: whoever could has locked the agent or webhook, which is gone.
 */
import type { PurgedTable } from '../../generated/prisma/enums.js';
import type { Transaction } from './connection.js';

type DeleteRows = (
  prisma: Transaction['prisma'],
  ownerId: string,
  limit: number,
) => Promise<{ count: number }>;

const deleteRows: Record<PurgedTable, DeleteRows> = {
  usage_deltas: ({ usageDelta }, agentId, limit) =>
    usageDelta.deleteMany({ where: { agentId }, limit }),
  deliveries: ({ delivery }, webhookId, limit) =>
    delivery.deleteMany({ where: { webhookId }, limit }),
  memory_words: ({ memoryWord }, agentId, limit) =>
    memoryWord.deleteMany({ where: { agentId }, limit }),
  usage_rollups: ({ usageRollup }, agentId, limit) =>
    usageRollup.deleteMany({ where: { agentId }, limit }),
  deployments: ({ deployment }, agentId, limit) =>
    deployment.deleteMany({ where: { agentId }, limit }),
  invocations: ({ invocation }, agentId, limit) =>
    invocation.deleteMany({ where: { agentId }, limit }),
  log_entries: ({ logEntry }, agentId, limit) => logEntry.deleteMany({ where: { agentId }, limit }),
  memory_entries: ({ memoryEntry }, agentId, limit) =>
    memoryEntry.deleteMany({ where: { agentId }, limit }),
  stream_events: ({ streamEvent }, agentId, limit) =>
    streamEvent.deleteMany({ where: { agentId }, limit }),
};

/** Deletes up to `batch` rows. Returns true if more may be pending. */
export async function purgeRows({ prisma }: Transaction, batch: number): Promise<boolean> {
  const next = await prisma.purge.findFirst({ orderBy: [{ table: 'asc' }, { ownerId: 'asc' }] });
  if (!next) return false;
  const { table, ownerId } = next;
  const { count } = await deleteRows[table](prisma, ownerId, batch);
  if (count < batch) await prisma.purge.delete({ where: { table_ownerId: { table, ownerId } } });
  return true;
}
