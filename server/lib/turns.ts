/**
 * Turns at work that occupies the event loop: one of an account at a time, and after it a rest as long as it took, so that
 * everybody else gets as much of the loop, in one piece. Accounts do not wait for each other.
 */
import { setTimeout as delay } from 'node:timers/promises';

export type Turns = (accountId: string, work: () => void) => Promise<void>;

const maxRestMs = 100;

export function createTurns(): Turns {
  const lastRests = new Map<string, Promise<void>>();
  return (accountId, work) => {
    let tookMs = 0;
    const turn = (lastRests.get(accountId) ?? Promise.resolve()).then(() => {
      const startedAt = performance.now();
      try {
        work();
      } finally {
        tookMs = performance.now() - startedAt;
      }
    });
    const rest = () => delay(Math.min(maxRestMs, tookMs));
    const rested = turn.then(rest, rest).finally(() => {
      if (lastRests.get(accountId) === rested) lastRests.delete(accountId);
    });
    lastRests.set(accountId, rested);
    return turn;
  };
}
