/** Waits for a condition instead of for a time. */
import { setTimeout as delay } from 'node:timers/promises';

/** Repeats the check until it no longer throws; its last error is what a failed test shows. */
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
