/**
 * Deletes rows that are past the retention period. Partitions are dropped once all their rows have expired. Expired rows of
 * partitions that are too long for the period, such as after it was shortened, are deleted in small batches. Usage counts always
 * match the remaining rows. Each function returns true if more is pending.
 */
import { lowestIdAt } from '../../lib/data/typeid.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import {
  dropPartitions,
  findCommonEnd,
  hasRowsBefore,
  type PartitionedTable,
} from '../postgres/partitions.js';
import * as rows from './delete-old.sql.js';
import { deleteOldEntries } from '../../memory/delete.sql.js';
import { deleteEmptyRollups } from '../../metrics/usage.js';

export interface Expiry {
  /** Partitions that end by this time are dropped. */
  partitionsBefore: Date;
  /** Rows from before this time are deleted. */
  rowsBefore: Date;
  batch: number;
}

/** Tables whose partitions are dropped together. */
interface History {
  tables: readonly PartitionedTable[];
  /** Whether a row from before the time is still in use. */
  mustKeep: (connection: Connection, before: Date) => Promise<boolean>;
}

const logsAndInvocations: History = {
  tables: ['log_entries', 'invocations', 'usage_rollups'],
  mustKeep: (connection, before) =>
    rows.hasUnfinished(connection, 'invocations', lowestIdAt('req', before)),
};

const memory: History = {
  tables: ['memory_entries', 'memory_embeddings'],
  mustKeep: () => Promise.resolve(false),
};

const events: History = {
  tables: ['events', 'deliveries'],
  mustKeep: (connection, before) =>
    rows.hasUnfinished(connection, 'deliveries', lowestIdAt('evt', before)),
};

/** Keeps invocations that wait or run, however old they are. */
export async function pruneLogsAndInvocations(
  transaction: Transaction,
  { partitionsBefore, rowsBefore, batch }: Expiry,
): Promise<boolean> {
  const dropped = await dropExpired(transaction, logsAndInvocations, partitionsBefore);
  if (dropped) {
    await transaction.prisma.usageDelta.deleteMany({ where: { bucketStart: { lt: dropped } } });
    return true;
  }
  if (!(await hasRowsBefore(transaction, logsAndInvocations.tables, rowsBefore))) return false;
  const firstKept = lowestIdAt('req', rowsBefore);
  const hasMore = await deleteByAccount(transaction, batch, async (accountId) => {
    const logs = await rows.deleteOldLogEntries(transaction, accountId, rowsBefore, batch);
    return logs + (await rows.deleteOldInvocations(transaction, accountId, firstKept, batch));
  });
  if (!hasMore) await deleteEmptyRollups(transaction, rowsBefore);
  return hasMore;
}

export async function pruneMemory(
  transaction: Transaction,
  { partitionsBefore, rowsBefore, batch }: Expiry,
): Promise<boolean> {
  if (await dropExpired(transaction, memory, partitionsBefore)) return true;
  if (!(await hasRowsBefore(transaction, memory.tables, rowsBefore))) return false;
  return deleteOldEntries(transaction, lowestIdAt('mem', rowsBefore), batch);
}

/** Deletes events with their deliveries. Keeps events with pending deliveries. */
export async function pruneEvents(
  transaction: Transaction,
  { partitionsBefore, rowsBefore, batch }: Expiry,
): Promise<boolean> {
  if (await dropExpired(transaction, events, partitionsBefore)) return true;
  if (!(await hasRowsBefore(transaction, events.tables, rowsBefore))) return false;
  const firstKept = lowestIdAt('evt', rowsBefore);
  return deleteByAccount(transaction, batch, (accountId) =>
    rows.deleteOldEvents(transaction, accountId, firstKept, batch),
  );
}

/** Iterates over the accounts until `batch` rows are deleted. Returns true if accounts may remain. */
async function deleteByAccount(
  { prisma }: Transaction,
  batch: number,
  deleteRows: (accountId: string) => Promise<number>,
): Promise<boolean> {
  const accounts = await prisma.account.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
  let deleted = 0;
  for (const { id } of accounts) {
    deleted += await deleteRows(id);
    if (deleted >= batch) return true;
  }
  return false;
}

/** Returns the time before which all rows were dropped. Undefined: nothing was dropped. */
async function dropExpired(
  transaction: Transaction,
  { tables, mustKeep }: History,
  before: Date,
): Promise<Date | undefined> {
  const end = await findCommonEnd(transaction, tables, before);
  // Also checked before the tables are locked, to avoid an unnecessary lock.
  if (!end || (await mustKeep(transaction, end))) return undefined;
  const isDropped = await dropPartitions(transaction, tables, end, () =>
    mustKeep(transaction, end),
  );
  return isDropped ? end : undefined;
}
