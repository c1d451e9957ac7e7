/**
 * Deletes what belonged to deleted agents and accounts, replaced memories and deleted webhooks, in small batches. Nothing finds
 * these rows any more, and nothing adds to them: that takes a lock on the agent or webhook, which is gone.
 */
import type { PurgedTable } from '../../../generated/prisma/enums.js';
import type { Connection, Transaction } from '../postgres/connection.js';

/** Rows of one table that are being deleted. */
export interface Purge {
  table: PurgedTable;
  /** The id of the agent, memory, webhook or account that they belonged to. */
  ownerId: string;
  accountId: string | null;
  /** What the owner was called. Null: written by an earlier version. */
  name: string | null;
  createdAt: Date;
  deletedRows: number;
}

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
  // Embeddings after their entries: only those of entries that exist are saved.
  memory_entries: async ({ memoryEntry, memoryEmbedding }, agentId, limit) => {
    const entries = await memoryEntry.deleteMany({ where: { agentId }, limit });
    if (entries.count === limit) return entries;
    const embeddings = await memoryEmbedding.deleteMany({ where: { agentId }, limit });
    return { count: entries.count + embeddings.count };
  },
  stream_events: ({ streamEvent }, agentId, limit) =>
    streamEvent.deleteMany({ where: { agentId }, limit }),
  events: ({ event }, accountId, limit) => event.deleteMany({ where: { accountId }, limit }),
};

/** Deletes up to `batch` rows. Returns true if more may be pending. */
export async function purgeRows(
  { prisma }: Transaction,
  batch: number,
  onDone: (purge: Purge) => void = () => undefined,
): Promise<boolean> {
  const next = await prisma.purge.findFirst({ orderBy: [{ table: 'asc' }, { ownerId: 'asc' }] });
  if (!next) return false;
  const { table, ownerId } = next;
  const where = { table_ownerId: { table, ownerId } };
  const { count } = await deleteRows[table](prisma, ownerId, batch);
  const deletedRows = next.deletedRows + BigInt(count);
  if (count < batch) {
    await prisma.purge.delete({ where });
    onDone({ ...next, deletedRows: Number(deletedRows) });
  } else {
    await prisma.purge.update({ where, data: { deletedRows } });
  }
  return true;
}

/** Oldest first. */
export async function listPurges({ prisma }: Connection): Promise<Purge[]> {
  const purges = await prisma.purge.findMany({
    orderBy: [{ createdAt: 'asc' }, { ownerId: 'asc' }, { table: 'asc' }],
  });
  return purges.map((purge) => ({ ...purge, deletedRows: Number(purge.deletedRows) }));
}
