/** How long what agents leave behind is kept: logs, invocations with their metrics, memory, and events. */
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
  /** How much one transaction deletes at most. */
  batch?: number;
}

/** Deletes a batch of each kind. Whether more is waiting. */
export async function pruneStep(
  database: Database,
  { days, now = new Date(), batch = 1_000 }: Retention,
): Promise<boolean> {
  const before = new Date(now.getTime() - days * dayMs);
  let isMore = false;
  for (const [kind, prune] of Object.entries(prunes)) {
    const more = await withTaskLock(database, `prune ${kind}`, (transaction) =>
      prune(transaction, before, batch),
    );
    isMore ||= more ?? false;
  }
  if (!isMore) {
    await withTaskLock(database, 'prune counts', async (transaction) => {
      await deleteEmptyRollups(transaction, before);
      await deleteUnusedWords(transaction);
    });
  }
  return isMore;
}
