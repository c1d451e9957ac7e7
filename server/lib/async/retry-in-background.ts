/** Repeats work that must get done eventually, even if it fails at first. */
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeLimit } from './time-limit.js';

const firstPauseMs = 100;
const maxPauseMs = 2_000;
/** How long the caller waits for the first attempt. */
const maxWaitMs = 1_000;

/**
 * Waits briefly for the first attempt, so that it has usually taken effect when this returns. Failed attempts are repeated in the
 * background with exponential backoff. Never rejects.
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
  const late = new Error('The first attempt timed out.');
  await withTimeLimit(first, maxWaitMs, late).catch(() => undefined);
}
