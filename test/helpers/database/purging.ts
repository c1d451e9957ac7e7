/** Runs the background purges that follow deletions and memory clearing. */
import type { Database, Transaction } from '../../../server/store/postgres/database.js';
import { purgeClearedEntries } from '../../../server/store/memory/clearing.js';
import { purgeRows } from '../../../server/store/retention/purges.js';
import { withTaskLock } from '../../../server/store/postgres/task-lock.js';

/** By task name, because a service in the test may run the same task. */
const purges = {
  'purge deleted rows': (transaction: Transaction, batch: number) =>
    purgeRows(transaction, { batch, deletedBefore: new Date(Date.now() + 60_000) }),
  'purge cleared memory': purgeClearedEntries,
};

/** Returns the number of steps. */
export async function purgeAll(database: Database, batch = 2_000): Promise<number> {
  let steps = 0;
  for (const [task, purge] of Object.entries(purges)) {
    let hasMore: boolean | undefined;
    do {
      hasMore = await withTaskLock(database, task, (transaction) => purge(transaction, batch));
      if (hasMore) steps += 1;
    } while (hasMore !== false);
  }
  return steps;
}

/** Backdates deletions, because the service waits for a minute before it purges. */
export async function backdateDeletions({ prisma }: Database): Promise<void> {
  await prisma.purge.updateMany({ data: { createdAt: new Date(Date.now() - 3_600_000) } });
}
