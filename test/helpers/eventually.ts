/** Waits for a condition instead of a fixed time. */
import { setTimeout as delay } from 'node:timers/promises';

/** Repeats the check until it no longer throws. On a timeout, the test fails with the last error. */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  withinMs = 60_000,
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(10);
    }
  }
}
