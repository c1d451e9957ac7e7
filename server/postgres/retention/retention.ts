/**
 * Deletes rows that are past the retention period. Partitions are dropped once all their rows have expired. Expired rows of partitions
 * that are too long for the period, such as after it was shortened, are deleted in small batches.
 */
import type { Connection, Database, Transaction } from '../database.js';
import { isConflict, isLockTimeout } from '../errors.js';
import { withHousekeepingLock } from '../housekeeping-lock.js';
import {
  createNextPartition,
  dropPartitions,
  findCommonEnd,
  findPartitionsToEnd,
  hasRowsBefore,
  type PartitionedTable,
  partitionWidth,
  type PartitionWidth,
} from './partitions.js';
import { currentDate } from '../../lib/time/clock.js';

/** Tables whose rows expire together. */
export interface History {
  tables: readonly PartitionedTable[];
  /** Whether a row from before the time is still in use. */
  mustKeep: (connection: Connection, before: Date) => Promise<boolean>;
  /** Called when all rows from before the time were dropped. */
  onDropped?: (transaction: Transaction, before: Date) => Promise<unknown>;
  /** Deletes up to about `batch` rows from before the time. Returns true if there may be more. */
  deleteRows: (transaction: Transaction, before: Date, batch: number) => Promise<boolean>;
}

const dayMs = 86_400_000;

const maxWidthDays: Record<PartitionWidth, number> = { day: 1, month: 31 };

export interface Retention {
  days: number;
  now?: Date;
  /** The maximum number of rows per transaction. */
  batch?: number;
}

/**
 * Deletes one batch, or the oldest partitions, of each kind. Resolves to true if there is more to delete, and to undefined if there may
 * be, because another instance was at work.
 */
export async function pruneHistories(
  database: Database,
  histories: readonly History[],
  { days, now = currentDate(), batch = 1_000 }: Retention,
): Promise<boolean | undefined> {
  const before = (keptDays: number) => new Date(now.getTime() - keptDays * dayMs);
  const rowsBefore = before(days + maxWidthDays[partitionWidth(days)]);
  const left: (boolean | undefined)[] = [];
  for (const history of histories) {
    left.push(
      await skipIfLocked(() =>
        withHousekeepingLock(database, async (transaction) => {
          if (await dropExpired(transaction, history, before(days))) return true;
          if (!(await hasRowsBefore(transaction, history.tables, rowsBefore))) return false;
          return history.deleteRows(transaction, rowsBefore, batch);
        }),
      ),
    );
  }
  return left.includes(true) || (left.includes(undefined) ? undefined : false);
}

/** Iterates over the accounts until `batch` rows are deleted. Returns true if accounts may remain. */
export async function deleteByAccount(
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

/** Returns whether anything was dropped. */
async function dropExpired(
  transaction: Transaction,
  { tables, mustKeep, onDropped }: History,
  before: Date,
): Promise<boolean> {
  const end = await findCommonEnd(transaction, tables, before);
  // Also checked before the tables are locked, to avoid an unnecessary lock.
  if (!end || (await mustKeep(transaction, end))) return false;
  const isDropped = await dropPartitions(transaction, tables, end, () =>
    mustKeep(transaction, end),
  );
  if (isDropped) await onDropped?.(transaction, end);
  return isDropped;
}

/** Creates the next partition of each table that needs one. Resolves to the number of partitions created. */
export async function createPartitions(
  database: Database,
  { days, now = currentDate() }: { days: number | undefined; now?: Date },
): Promise<number> {
  let created = 0;
  for (const ending of await findPartitionsToEnd(database, {
    width: partitionWidth(days),
    now,
  })) {
    const isCreated = await skipIfLocked(() =>
      withHousekeepingLock(database, (transaction) => createNextPartition(transaction, ending)),
    );
    if (isCreated) created += 1;
  }
  return created;
}

/** Gives up after a deadlock, or if a long statement holds a lock on the table, so that other statements do not queue up behind. */
async function skipIfLocked(
  work: () => Promise<boolean | undefined>,
): Promise<boolean | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isConflict(error)) return undefined;
    // The statement may last: each attempt delays others a little, so the next one has time.
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
