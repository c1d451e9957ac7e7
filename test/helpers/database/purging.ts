/** Runs the background purge that follows deletions and memory clearing. */
import type { Database } from '../../../server/postgres/database.js';
import { purgeRows } from '../../../server/postgres/retention/purges.js';
import { withHousekeepingLock } from '../../../server/postgres/housekeeping-lock.js';

/** Returns the number of steps. Takes the lock, because a service in the test may purge too. */
export async function purgeAll(database: Database, batch = 2_000): Promise<number> {
  const deletedBefore = new Date(Date.now() + 60_000);
  for (let steps = 0; ;) {
    const hasMore = await withHousekeepingLock(database, (transaction) =>
      purgeRows(transaction, { batch, deletedBefore }),
    );
    if (hasMore === false) return steps;
    if (hasMore) steps += 1;
  }
}

/** Backdates deletions, because the service waits for a minute before it purges. */
export async function backdateDeletions({ prisma }: Database): Promise<void> {
  await prisma.purge.updateMany({ data: { createdAt: new Date(Date.now() - 3_600_000) } });
}
