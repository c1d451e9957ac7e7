/** The line before a limited resource, in which accounts take turns: each waits for requests of its own, not of others. */
import { createFairShares } from './fair-shares.js';

/** Gives the place to the next. Further calls do nothing. */
export type Release = () => void;

export interface FairQueue {
  /** Resolves when the account gets a place, with what gives it back. */
  enter: (accountId: string) => Promise<Release>;
}

export function createFairQueue(places: number): FairQueue {
  const shares = createFairShares(places);
  // In the order in which accounts get their next place.
  const lines = new Map<string, (() => void)[]>();

  const take = (accountId: string): Release => {
    shares.take(accountId);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      shares.release(accountId);
      admit();
    };
  };

  const admit = () => {
    for (const [accountId, line] of lines) {
      if (!shares.canTake(accountId)) continue;
      const next = line.shift();
      lines.delete(accountId);
      if (line.length > 0) lines.set(accountId, line);
      next?.();
    }
  };

  return {
    enter: async (accountId) => {
      const line = lines.get(accountId);
      if (line === undefined && shares.canTake(accountId)) return take(accountId);
      return new Promise((resolve) => {
        const enter = () => {
          resolve(take(accountId));
        };
        if (line === undefined) lines.set(accountId, [enter]);
        else line.push(enter);
      });
    },
  };
}
