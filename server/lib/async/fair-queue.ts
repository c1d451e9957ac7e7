/** A queue for the slots of a limited resource: waiting owners get free slots in turn. */
import { createFairShares } from './fair-shares.js';

/** Passes the slot on to the next in the queue. Further calls do nothing. */
export type Release = () => void;

export interface FairQueue {
  /** Resolves when the owner gets a slot, with the function that releases it. */
  enter: (owner: string) => Promise<Release>;
}

/** Runs the work in a slot of the owner. */
export async function inSlot<Result>(
  queue: FairQueue,
  owner: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const release = await queue.enter(owner);
  return work().finally(release);
}

export function createFairQueue(slots: number): FairQueue {
  const shares = createFairShares(slots);
  /** Waiting entries by owner, in the order in which owners get their next slot. */
  const waiting = new Map<string, (() => void)[]>();

  const take = (owner: string): Release => {
    shares.take(owner);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      shares.release(owner);
      admit();
    };
  };

  const admit = () => {
    for (const [owner, queue] of waiting) {
      if (!shares.canTake(owner)) continue;
      waiting.delete(owner);
      queue.shift()?.();
      // Moves the owner to the end of the map, so that the others get their turn first.
      if (queue.length > 0) waiting.set(owner, queue);
    }
  };

  return {
    enter: async (owner) => {
      const queue = waiting.get(owner);
      if (!queue && shares.canTake(owner)) return take(owner);
      return new Promise((resolve) => {
        const enter = () => {
          resolve(take(owner));
        };
        if (queue) queue.push(enter);
        else waiting.set(owner, [enter]);
      });
    },
  };
}
