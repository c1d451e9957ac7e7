/**
 * Deletes the rows of deleted agents, replaced memories and deleted webhooks in small batches. No query finds these rows any more.
 * A purge begins a minute after the deletion, because statements that began earlier may still add rows.
 * Why SQL: Prisma deletes by key. Without statistics, PostgreSQL may then read all rows of the agent for each key. Deleting by row
 * address (ctid) avoids that.
 */
import type { PurgedTable } from '../../../generated/prisma/enums.js';
import { currentDate, currentTime } from '../../lib/time/clock.js';
import type { Connection, Queryable, Statement, Transaction } from '../connection.js';
import { countOf } from './delete-old.sql.js';

/** Rows of one table that are being deleted. */
export interface Purge {
  table: PurgedTable;
  /** The id of the agent, memory or webhook that they belonged to. */
  ownerId: string;
  accountId: string;
  /** The name of the owner. */
  name: string;
  createdAt: Date;
  deletedRows: number;
}

/** Called in the transaction that deletes the owner. */
export async function schedulePurges(
  { prisma }: Transaction,
  accountId: string,
  purges: readonly Pick<Purge, 'table' | 'ownerId' | 'name'>[],
): Promise<void> {
  const createdAt = currentDate();
  await prisma.purge.createMany({
    data: purges.map((purge) => ({ ...purge, accountId, createdAt })),
  });
}

/** Longer than any statement can take. */
const settlingMs = 60_000;

interface PurgeOptions {
  batch: number;
  onDone?: (purge: Purge) => void;
  /** Skips rows whose owner was deleted after this time. */
  deletedBefore?: Date;
}

/** Deletes up to `batch` rows. Returns true if more may be pending. */
export async function purgeRows(
  transaction: Transaction,
  {
    batch,
    onDone = () => undefined,
    deletedBefore = new Date(currentTime() - settlingMs),
  }: PurgeOptions,
): Promise<boolean> {
  const { prisma } = transaction;
  const next = await prisma.purge.findFirst({
    where: { createdAt: { lt: deletedBefore } },
    orderBy: [{ table: 'asc' }, { ownerId: 'asc' }],
  });
  if (!next) return false;
  const { table, ownerId } = next;
  const where = { table, ownerId };
  const count = await deleteRows(transaction, next, batch);
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

/** Deletes up to `limit` rows. Returns the number deleted. */
async function deleteRows(
  transaction: Transaction,
  { table, ...owner }: Pick<Purge, 'table' | 'accountId' | 'ownerId'>,
  limit: number,
): Promise<number> {
  switch (table) {
    case 'deployments': {
      const where = { agentId: owner.ownerId };
      return (await transaction.prisma.deployment.deleteMany({ where, limit })).count;
    }
    case 'memory_entries': {
      // Deletes the entries first: embeddings are saved only for entries that exist.
      const entries = await deleteOwned(transaction, table, owner, limit);
      if (entries === limit) return entries;
      return entries + (await deleteOwned(transaction, 'memory_embeddings', owner, limit));
    }
    case 'stream_events': {
      const events = await deleteOwned(transaction, table, owner, limit);
      if (events === limit) return events;
      // Of runs that were still going on.
      return events + (await deleteOwned(transaction, 'run_steps', owner, limit));
    }
    default:
      return deleteOwned(transaction, table, owner, limit);
  }
}

const ownerColumns = {
  usage_deltas: 'agent_id',
  deliveries: 'webhook_id',
  // Only of 0.1.0: goes with the next release.
  memory_words: 'agent_id',
  usage_rollups: 'agent_id',
  invocations: 'agent_id',
  log_entries: 'agent_id',
  memory_entries: 'agent_id',
  memory_embeddings: 'agent_id',
  stream_events: 'agent_id',
  run_steps: 'agent_id',
};

type OwnedTable = keyof typeof ownerColumns;

// A row address is unique only within its partition.
const deleteFrom = (table: OwnedTable): Statement => ({
  name: `${table}_delete_owned`,
  text: `
    WITH deleted AS (
      DELETE FROM ${table} WHERE account_id = $1 AND (tableoid, ctid) IN (
        SELECT tableoid, ctid FROM ${table} WHERE account_id = $1 AND ${ownerColumns[table]} = $2 LIMIT $3
      ) RETURNING 1
    )
    SELECT count(*)::int AS count FROM deleted`,
});

/** Like `deleteRows`, in one statement. */
function deleteOwned(
  database: Queryable,
  table: OwnedTable,
  { accountId, ownerId }: { accountId: string; ownerId: string },
  limit: number,
): Promise<number> {
  return countOf(database, deleteFrom(table), [accountId, ownerId, limit]);
}
