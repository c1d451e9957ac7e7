/** A queue for the slots of a limited resource: accounts that wait get the next free slot in turn. */
import { createFairShares } from './fair-shares.js';

/** Gives the slot to the next. Further calls do nothing. */
export type Release = () => void;

export interface FairQueue {
  /** Resolves when the account gets a slot, with what gives it back. */
  enter: (accountId: string) => Promise<Release>;
}

/** Does the work in a slot of the account. */
export async function inSlot<Result>(
  queue: FairQueue,
  accountId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await queue.enter(accountId);
  return work().finally(release);
}

export function createFairQueue(slots: number): FairQueue {
  const shares = createFairShares(slots);
  /** What waits, by account, in the order in which accounts get their next slot. */
  const waiting = new Map<string, (() => void)[]>();

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
    for (const [accountId, queue] of waiting) {
      if (!shares.canTake(accountId)) continue;
      waiting.delete(accountId);
      queue.shift()?.();
      // To the end of the map: the other accounts have their turn first.
      if (queue.length > 0) waiting.set(accountId, queue);
    }
  };

  return {
    enter: async (accountId) => {
      const queue = waiting.get(accountId);
      if (!queue && shares.canTake(accountId)) return take(accountId);
      return new Promise((resolve) => {
        const enter = () => {
          resolve(take(accountId));
        };
        if (queue) queue.push(enter);
        else waiting.set(accountId, [enter]);
      });
    },
  };
}
