/** Retention: deletes logs, invocations with their metrics, memory and events after a configured time. */
import type { Database, Transaction } from '../store/postgres/database.js';
import { isConflict, isLockTimeout } from '../store/postgres/errors.js';
import { deleteOldWords } from '../store/memory/words.js';
import { createNext, findEnding, partitionWidthDays } from '../store/postgres/partitions.js';
import * as store from '../store/retention/retention.js';
import { withTaskLock } from '../store/postgres/task-lock.js';
import { deleteEmptyRollups } from '../store/usage/usage.js';

const dayMs = 86_400_000;

type Prune = (transaction: Transaction, expiry: store.Expiry) => Promise<boolean>;

const prunes: Record<string, Prune> = {
  'logs and invocations': store.pruneLogsAndInvocations,
  memory: store.pruneMemory,
  events: store.pruneEvents,
};

export interface Retention {
  days: number;
  now?: Date;
  /** How many rows one transaction deletes at most. */
  batch?: number;
}

/** Deletes one batch, or the oldest partitions, of each kind. Resolves with whether there is more to delete. */
export async function pruneStep(
  database: Database,
  { days, now = new Date(), batch = 1_000 }: Retention,
): Promise<boolean> {
  const before = (keptDays: number) => new Date(now.getTime() - keptDays * dayMs);
  const rowsBefore = before(days + partitionWidthDays(days));
  const expiry = { partitionsBefore: before(days), rowsBefore, batch };
  let hasMore = false;
  for (const [kind, prune] of Object.entries(prunes)) {
    const more = await unlessBusy(() =>
      withTaskLock(database, `prune ${kind}`, (transaction) => prune(transaction, expiry)),
    );
    hasMore ||= more ?? false;
  }
  if (!hasMore) {
    await withTaskLock(database, 'prune counts and words', async (transaction) => {
      await deleteEmptyRollups(transaction, rowsBefore);
      await deleteOldWords(transaction, expiry.partitionsBefore);
    });
  }
  return hasMore;
}

/** Creates the partitions of the time to come, table by table. Resolves with how many were created. */
export async function divideHistory(
  database: Database,
  { days, now = new Date() }: { days: number | undefined; now?: Date },
): Promise<number> {
  let created = 0;
  for (const ending of await findEnding(database, { widthDays: partitionWidthDays(days), now })) {
    const isCreated = await unlessBusy(() =>
      withTaskLock(database, 'create partitions', (transaction) => createNext(transaction, ending)),
    );
    if (isCreated) created += 1;
  }
  return created;
}

/** What needs a table for itself for some milliseconds gives way to statements that take long, and is tried again later. */
async function unlessBusy<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isLockTimeout(error) || isConflict(error)) return undefined;
    throw error;
  }
}
