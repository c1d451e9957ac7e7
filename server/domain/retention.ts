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

/**
 * Deletes one batch, or the oldest partitions, of each kind. Resolves to true if there is more to delete, and to undefined if there may
 * be, because another instance was at work.
 */
export async function pruneStep(
  database: Database,
  { days, now = currentDate(), batch = 1_000 }: Retention,
): Promise<boolean | undefined> {
  const before = (keptDays: number) => new Date(now.getTime() - keptDays * dayMs);
  const rowsBefore = before(days + maxWidthDays[partitionWidth(days)]);
  const expiry = { partitionsBefore: before(days), rowsBefore, batch };
  const left: (boolean | undefined)[] = [];
  for (const prune of prunes) {
    left.push(
      await skipIfLocked(() =>
        withHousekeepingLock(database, (transaction) => prune(transaction, expiry)),
      ),
    );
  }
  return left.includes(true) || (left.includes(undefined) ? undefined : false);
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
