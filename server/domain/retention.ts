/** Retention: deletes logs, invocations with their metrics, memory and events after a configured time. */
import type { Database, Transaction } from '../store/database.js';
import { deleteUnusedWords } from '../store/memory-words.js';
import * as store from '../store/retention.js';
import { withTaskLock } from '../store/task-lock.js';
import { deleteEmptyRollups } from '../store/usage.js';

const dayMs = 86_400_000;

type Prune = (transaction: Transaction, before: Date, batch: number) => Promise<boolean>;

const prunes: Record<string, Prune> = {
  logs: store.deleteOldLogs,
  invocations: store.deleteOldInvocations,
  memory: store.deleteOldMemories,
  events: store.deleteOldEvents,
};

export interface Retention {
  days: number;
  now?: Date;
  /** How many rows one transaction deletes at most. */
  batch?: number;
}

/** Deletes one batch of each kind. Resolves with whether there is more to delete. */
export async function pruneStep(
  database: Database,
  { days, now = new Date(), batch = 1_000 }: Retention,
): Promise<boolean> {
  const before = new Date(now.getTime() - days * dayMs);
  let hasMore = false;
  for (const [kind, prune] of Object.entries(prunes)) {
    const more = await withTaskLock(database, `prune ${kind}`, (transaction) =>
      prune(transaction, before, batch),
    );
    hasMore ||= more ?? false;
  }
  if (!hasMore) {
    await withTaskLock(database, 'prune counts', async (transaction) => {
      await deleteEmptyRollups(transaction, before);
      await deleteUnusedWords(transaction);
    });
  }
  return hasMore;
}
