/** Deletes logs, invocations with their metrics, memory and events that are older than the retention period. */
import type { Database } from '../store/postgres/database.js';
import { isConflict, isLockTimeout } from '../store/postgres/errors.js';
import {
  createNextPartition,
  findPartitionsToEnd,
  partitionWidth,
  type PartitionWidth,
} from '../store/postgres/partitions.js';
import * as store from '../store/retention/retention.js';
import { withHousekeepingLock } from '../store/postgres/housekeeping-lock.js';
import { currentDate } from '../lib/time/clock.js';

const dayMs = 86_400_000;

const maxWidthDays: Record<PartitionWidth, number> = { day: 1, month: 31 };

const prunes = [store.pruneLogsAndInvocations, store.pruneMemory, store.pruneEvents];

interface Retention {
  days: number;
  now?: Date;
  /** The maximum number of rows per transaction. */
  batch?: number;
}

/** Deletes one batch, or the oldest partitions, of each kind. Resolves to true if there is more to delete. */
export async function pruneStep(
  database: Database,
  { days, now = currentDate(), batch = 1_000 }: Retention,
): Promise<boolean> {
  const before = (keptDays: number) => new Date(now.getTime() - keptDays * dayMs);
  const rowsBefore = before(days + maxWidthDays[partitionWidth(days)]);
  const expiry = { partitionsBefore: before(days), rowsBefore, batch };
  let hasMore = false;
  for (const prune of prunes) {
    const more = await skipIfLocked(() =>
      withHousekeepingLock(database, (transaction) => prune(transaction, expiry)),
    );
    hasMore ||= more ?? false;
  }
  return hasMore;
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

/** Gives up if a long statement holds a lock on the table, so that other statements do not queue up behind. The next run retries. */
async function skipIfLocked<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isLockTimeout(error) || isConflict(error)) return undefined;
    throw error;
  }
}
