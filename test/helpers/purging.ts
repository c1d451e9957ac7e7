/** Does what happens in the background after deletions and clearings. */
import type { Database, Transaction } from '../../server/store/postgres/database.js';
import { purgeClearedEntries } from '../../server/store/memory/clearing.js';
import { purgeRows } from '../../server/store/retention/purges.js';
import { withTaskLock } from '../../server/store/postgres/task-lock.js';

/** By the names of the tasks: a service of the test may be about to do the same. */
const purges = {
  'purge deleted rows': (transaction: Transaction, batch: number) =>
    purgeRows(transaction, { batch, deletedBefore: new Date(Date.now() + 60_000) }),
  'purge cleared memory': purgeClearedEntries,
};

/** Returns the number of steps that it took. */
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

/** As if it had been deleted a while ago: the service leaves rows alone for a minute. */
export async function letDeletionsSettle({ prisma }: Database): Promise<void> {
  await prisma.purge.updateMany({ data: { createdAt: new Date(Date.now() - 3_600_000) } });
}
