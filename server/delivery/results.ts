/** Writes down the results of attempts; those that end while others are being written down go together. */
import { setTimeout as delay } from 'node:timers/promises';
import { batched } from '../store/batched.js';
import { type AttemptResult, recordResults } from '../store/deliveries.js';
import type { Database } from '../store/database.js';

/** Resolves when the result is written down, or when it cannot be: then the lease ends, and the event is sent again. */
export type WriteResult = (result: AttemptResult) => Promise<void>;

const retryPausesMs = [50, 500];

export function createResultWriter(
  database: Database,
  onError: (error: unknown) => void,
): WriteResult {
  const write = batched<AttemptResult, true>(
    async (results) => {
      await recordResults(database, results);
      return results.map(() => true);
    },
    { inFlight: 1, weigh: () => 0 },
  );
  return async (result) => {
    for (const pauseMs of [...retryPausesMs, undefined]) {
      try {
        await write(result);
        return;
      } catch (error) {
        onError(error);
        if (pauseMs !== undefined) await delay(pauseMs);
      }
    }
  };
}
