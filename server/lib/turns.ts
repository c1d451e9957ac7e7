/**
 * Turns at work that occupies the event loop, such as at a long text: one of an account at a time, and after it a rest of
 * several times as long, so that everybody else gets most of the loop, in one piece. Accounts do not wait for each other.
 */
import { setTimeout as delay } from 'node:timers/promises';

export type Turns = <Result>(
  accountId: string,
  work: () => Result | Promise<Result>,
  /** What it takes besides, such as to be received. */
  spentMs?: number,
) => Promise<Result>;

/** To answer what has a turn takes the loop as well. */
const restFactor = 6;
const maxRestMs = 1_000;

export function createTurns(): Turns {
  const lastRests = new Map<string, Promise<void>>();
  return (accountId, work, spentMs = 0) => {
    let tookMs = 0;
    const turn = (lastRests.get(accountId) ?? Promise.resolve()).then(async () => {
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        tookMs = performance.now() - startedAt;
      }
    });
    const rest = () => delay(Math.min(maxRestMs, restFactor * (spentMs + tookMs)));
    const rested = turn.then(rest, rest).finally(() => {
      if (lastRests.get(accountId) === rested) lastRests.delete(accountId);
    });
    lastRests.set(accountId, rested);
    return turn;
  };
}
