/**
 * Deletes what is past its retention period: whole partitions once all of their rows are, and row by row, in small batches, what
 * is in partitions that are longer than those of the period should be, such as after it was shortened. Counts always match what
 * is left. Each function returns true if more is pending.
 */
import { lowestIdAt } from '../../lib/data/typeid.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { commonEnd, dropPartitions, type PartitionedTable } from '../postgres/partitions.js';
import * as rows from './delete-old.sql.js';
import { deleteOldEntries } from '../memory/delete.sql.js';

export interface Expiry {
  /** Partitions that ended by then are dropped. */
  partitionsBefore: Date;
  /** Rows from before are deleted. */
  rowsBefore: Date;
  batch: number;
}

/** Tables whose partitions are dropped together. */
interface History {
  tables: readonly PartitionedTable[];
  /** Whether something from before that time must stay, though it is old. */
  isNeeded: (connection: Connection, before: Date) => Promise<boolean>;
}

const logsAndInvocations: History = {
  tables: ['log_entries', 'invocations', 'usage_rollups'],
  isNeeded: (connection, before) =>
    rows.isWaiting(connection, 'invocations', lowestIdAt('req', before)),
};

const memory: History = {
  tables: ['memory_entries', 'memory_embeddings'],
  isNeeded: () => Promise.resolve(false),
};

const events: History = {
  tables: ['events', 'deliveries'],
  isNeeded: (connection, before) =>
    rows.isWaiting(connection, 'deliveries', lowestIdAt('evt', before)),
};

/** An invocation that waits or runs stays, however old it is. */
export async function pruneLogsAndInvocations(
  transaction: Transaction,
  { partitionsBefore, rowsBefore, batch }: Expiry,
): Promise<boolean> {
  const dropped = await drop(transaction, logsAndInvocations, partitionsBefore);
  if (dropped) {
    await transaction.prisma.usageDelta.deleteMany({ where: { bucketStart: { lt: dropped } } });
    return true;
  }
  const firstKept = lowestIdAt('req', rowsBefore);
  return ofAccounts(transaction, batch, async (accountId) => {
    const logs = await rows.deleteOldLogEntries(transaction, accountId, rowsBefore, batch);
    return logs + (await rows.deleteOldInvocations(transaction, accountId, firstKept, batch));
  });
}

export async function pruneMemory(
  transaction: Transaction,
  { partitionsBefore, rowsBefore, batch }: Expiry,
): Promise<boolean> {
  if (await drop(transaction, memory, partitionsBefore)) return true;
  return deleteOldEntries(transaction, lowestIdAt('mem', rowsBefore), batch);
}

/** Deliveries go with their events. Events with pending deliveries stay. */
export async function pruneEvents(
  transaction: Transaction,
  { partitionsBefore, rowsBefore, batch }: Expiry,
): Promise<boolean> {
  if (await drop(transaction, events, partitionsBefore)) return true;
  const firstKept = lowestIdAt('evt', rowsBefore);
  return ofAccounts(transaction, batch, (accountId) =>
    rows.deleteOldEvents(transaction, accountId, firstKept, batch),
  );
}

/** Goes through the accounts until `batch` rows are deleted. Returns true if it did not come to the last one. */
async function ofAccounts(
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

/** Returns up to when everything was dropped; undefined: nothing was. */
async function drop(
  transaction: Transaction,
  { tables, isNeeded }: History,
  before: Date,
): Promise<Date | undefined> {
  const end = await commonEnd(transaction, tables, before);
  // Asked before the lock as well, so that nobody is locked out in vain.
  if (!end || (await isNeeded(transaction, end))) return undefined;
  const isDropped = await dropPartitions(transaction, tables, end, () =>
    isNeeded(transaction, end),
  );
  return isDropped ? end : undefined;
}
