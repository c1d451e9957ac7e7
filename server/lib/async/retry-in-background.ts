/** For what must not be left undone, such as releasing a lease, although the database is in trouble at first. */
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeLimit } from './time-limit.js';

const firstPauseMs = 100;
const maxPauseMs = 2_000;
/** How long a caller, and the request that it answers, waits for the first attempt. */
const maxWaitMs = 1_000;

/**
 * Waits for the first attempt, if it does not take long: a client that is told of a failure may try again at once. Attempts that fail
 * are repeated in the background, after pauses that double. Never rejects.
 */
export async function retryInBackground(
  attempt: () => Promise<unknown>,
  { maxAttempts }: { maxAttempts: number },
): Promise<void> {
  const succeeds = () =>
    attempt().then(
      () => true,
      () => false,
    );
  const first = succeeds();
  const repeat = async () => {
    let isDone = await first;
    let pauseMs = firstPauseMs;
    for (let attempts = 1; !isDone && attempts < maxAttempts; attempts += 1) {
      await delay(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
      isDone = await succeeds();
    }
  };
  void repeat();
  const late = new Error('The first attempt takes long.');
  await withTimeLimit(first, maxWaitMs, late).catch(() => undefined);
}
