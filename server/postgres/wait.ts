/** Waits for a database that starts after the service. */
import { setTimeout as delay } from 'node:timers/promises';
import { interruptible } from '../lib/system/interrupt.js';
import { DatabaseNotReady } from './connection-problem.js';

export interface WaitOptions {
  /** When to give up, by `performance.now()`. */
  deadline: number;
  /** Called before each wait. */
  onWait: (problem: DatabaseNotReady) => void;
}

const retryMs = 500;

/** Repeats the work while the database accepts no connections. Stops at any other failure, and at a signal. */
export function retryUntilReady<Result>(
  work: () => Promise<Result>,
  { deadline, onWait }: WaitOptions,
): Promise<Result> {
  return interruptible(async (signal) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isOver = performance.now() + retryMs > deadline;
        if (!(error instanceof DatabaseNotReady) || isOver) throw error;
        onWait(error);
        await delay(retryMs, undefined, { signal });
      }
    }
  });
}
