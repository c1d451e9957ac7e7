/** Does what happens in the background after deletions and clearings. */
import type { Database } from '../../server/store/database.js';
import { purgeClearedEntries } from '../../server/store/memory-clearing.js';
import { purgeRows } from '../../server/store/purges.js';

/** Returns the number of steps that it took. */
export async function purgeAll(database: Database, batch = 2_000): Promise<number> {
  let steps = 0;
  for (const purge of [purgeRows, purgeClearedEntries]) {
    while (await database.transaction((transaction) => purge(transaction, batch))) steps += 1;
  }
  return steps;
}
