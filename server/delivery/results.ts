/** Records the results of attempts; results that arrive while a statement is in flight share the next one. */
import { setTimeout as delay } from 'node:timers/promises';
import { batched } from '../store/postgres/batched.js';
import { type AttemptResult, recordResults } from '../store/deliveries/deliveries.js';
import type { Database } from '../store/postgres/database.js';

/** Resolves once the result is recorded or all retries failed; in that case the lease expires and the event is resent. */
export type WriteResult = (result: AttemptResult) => Promise<void>;

const retryDelaysMs = [50, 500];

export function createResultWriter(
  database: Database,
  onError: (error: unknown) => void,
): WriteResult {
  const write = batched<AttemptResult, true>(
    async (results) => {
      await recordResults(database, results[0]?.accountId ?? '', results);
      return results.map(() => true);
    },
    { keyOf: ({ accountId }) => accountId },
  );
  return async (result) => {
    for (const delayMs of [...retryDelaysMs, undefined]) {
      try {
        await write(result);
        return;
      } catch (error) {
        onError(error);
        if (delayMs !== undefined) await delay(delayMs);
      }
    }
  };
}
