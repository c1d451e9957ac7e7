/** Runs background requests a few at a time, so that requests of the user come first. */
import { canSendInBackground } from './connection.js';

const concurrency = 3;
const pauseMs = 3_000;

const waiting: (() => Promise<void>)[] = [];
let running = 0;

/** While too little of the rate limit is left, all work waits. */
export function runInBackground<Result>(
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
  if (!canSendInBackground()) {
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
