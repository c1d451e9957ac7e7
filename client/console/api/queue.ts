/** Runs requests that nobody waits for, a few at a time, so that those of a person come first. */
import { hasRoomForBackground } from './connection.js';

const concurrency = 3;
const pauseMs = 3_000;

const waiting: (() => Promise<void>)[] = [];
let running = 0;

/** Runs it when it is its turn; while the rate limit is low, everything waits. */
export function inBackground<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    waiting.push(async () => {
      if (signal.aborted) return;
      await work().then(resolve, reject);
    });
    next();
  });
}

function next(): void {
  if (running >= concurrency || waiting.length === 0) return;
  if (!hasRoomForBackground()) {
    setTimeout(next, pauseMs);
    return;
  }
  running += 1;
  void waiting
    .shift()?.()
    .finally(() => {
      running -= 1;
      next();
    });
}
