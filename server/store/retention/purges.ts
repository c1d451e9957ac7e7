/**
 * Deletes what belonged to deleted agents, replaced memories and deleted webhooks, in small batches. Nothing finds
 * these rows any more. A statement that began before the deletion may still add some: so it begins a minute later, when all of those
 * have ended.
 */
import type { PurgedTable } from '../../../generated/prisma/enums.js';
import type { Connection, Transaction } from '../postgres/connection.js';

/** Rows of one table that are being deleted. */
export interface Purge {
  table: PurgedTable;
  /** The id of the agent, memory or webhook that they belonged to. */
  ownerId: string;
  accountId: string;
  /** What the owner was called. */
  name: string;
  createdAt: Date;
  deletedRows: number;
}

/** For the transaction that deletes the owner. */
export async function notePurges(
  { prisma }: Transaction,
  accountId: string,
  purges: readonly Pick<Purge, 'table' | 'ownerId' | 'name'>[],
): Promise<void> {
  await prisma.purge.createMany({ data: purges.map((purge) => ({ ...purge, accountId })) });
}

type DeleteRows = (
  prisma: Transaction['prisma'],
  owner: { accountId: string; ownerId: string },
  limit: number,
) => Promise<{ count: number }>;

const deleteRows: Record<PurgedTable, DeleteRows> = {
  usage_deltas: ({ usageDelta }, { accountId, ownerId: agentId }, limit) =>
    usageDelta.deleteMany({ where: { accountId, agentId }, limit }),
  deliveries: ({ delivery }, { accountId, ownerId: webhookId }, limit) =>
    delivery.deleteMany({ where: { accountId, webhookId }, limit }),
  memory_words: ({ memoryWord }, { accountId, ownerId: agentId }, limit) =>
    memoryWord.deleteMany({ where: { accountId, agentId }, limit }),
  usage_rollups: ({ usageRollup }, { accountId, ownerId: agentId }, limit) =>
    usageRollup.deleteMany({ where: { accountId, agentId }, limit }),
  deployments: ({ deployment }, { ownerId: agentId }, limit) =>
    deployment.deleteMany({ where: { agentId }, limit }),
  invocations: ({ invocation }, { accountId, ownerId: agentId }, limit) =>
    invocation.deleteMany({ where: { accountId, agentId }, limit }),
  log_entries: ({ logEntry }, { accountId, ownerId: agentId }, limit) =>
    logEntry.deleteMany({ where: { accountId, agentId }, limit }),
  // Embeddings after their entries: only those of entries that exist are saved.
  memory_entries: async (
    { memoryEntry, memoryEmbedding },
    { accountId, ownerId: agentId },
    limit,
  ) => {
    const where = { accountId, agentId };
    const entries = await memoryEntry.deleteMany({ where, limit });
    if (entries.count === limit) return entries;
    const embeddings = await memoryEmbedding.deleteMany({ where, limit });
    return { count: entries.count + embeddings.count };
  },
  stream_events: ({ streamEvent }, { accountId, ownerId: agentId }, limit) =>
    streamEvent.deleteMany({ where: { accountId, agentId }, limit }),
};

/** Longer than any statement takes. */
const settlingMs = 60_000;

export interface PurgeOptions {
  batch: number;
  onDone?: (purge: Purge) => void;
  /** What was deleted later than this is left for another time. */
  deletedBefore?: Date;
}

/** Deletes up to `batch` rows. Returns true if more may be pending. */
export async function purgeRows(
  { prisma }: Transaction,
  {
    batch,
    onDone = () => undefined,
    deletedBefore = new Date(Date.now() - settlingMs),
  }: PurgeOptions,
): Promise<boolean> {
  const next = await prisma.purge.findFirst({
    where: { createdAt: { lt: deletedBefore } },
    orderBy: [{ table: 'asc' }, { ownerId: 'asc' }],
  });
  if (!next) return false;
  const { table, ownerId } = next;
  const where = { table, ownerId };
  const { count } = await deleteRows[table](prisma, next, batch);
  const deletedRows = next.deletedRows + BigInt(count);
  if (count < batch) {
    await prisma.purge.deleteMany({ where });
    onDone({ ...next, deletedRows: Number(deletedRows) });
  } else {
    await prisma.purge.updateMany({ where, data: { deletedRows } });
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
