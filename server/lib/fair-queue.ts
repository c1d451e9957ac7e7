/** A queue for the slots of a limited resource, fair to accounts: each waits for requests of its own, not of others. */
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
  // In the order in which accounts get their next slot.
  const queues = new Map<string, (() => void)[]>();

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
    for (const [accountId, queue] of queues) {
      if (!shares.canTake(accountId)) continue;
      const next = queue.shift();
      queues.delete(accountId);
      if (queue.length > 0) queues.set(accountId, queue);
      next?.();
    }
  };

  return {
    enter: async (accountId) => {
      const queue = queues.get(accountId);
      if (queue === undefined && shares.canTake(accountId)) return take(accountId);
      return new Promise((resolve) => {
        const enter = () => {
          resolve(take(accountId));
        };
        if (queue === undefined) queues.set(accountId, [enter]);
        else queue.push(enter);
      });
    },
  };
}
