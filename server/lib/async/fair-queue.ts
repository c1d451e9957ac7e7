/** A queue for the slots of a limited resource: waiting owners get free slots in turn. */
import { abortReason } from './abort.js';
import { FairLine } from './fair-line.js';
import { createFairShares } from './fair-shares.js';

/** Passes the slot on to the next in the queue. Further calls do nothing. */
export type Release = () => void;

export interface FairQueue {
  /**
   * Resolves when the owner gets a slot, with the function that releases it. Leaves the queue and rejects with the signal's
   * reason if it aborts before.
   */
  enter: (owner: string, signal?: AbortSignal) => Promise<Release>;
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
  const waiting = new FairLine<() => void>();
  const canTake = (owner: string) => shares.canTake(owner);

  const take = (owner: string): Release => {
    shares.take(owner);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      shares.release(owner);
      for (let enter = waiting.next(canTake); enter; enter = waiting.next(canTake)) enter();
    };
  };

  return {
    enter: async (owner, signal) => {
      signal?.throwIfAborted();
      if (!waiting.has(owner) && canTake(owner)) return take(owner);
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.leave(owner, enter);
          if (signal) reject(abortReason(signal));
        };
        const enter = () => {
          signal?.removeEventListener('abort', leave);
          resolve(take(owner));
        };
        waiting.join(owner, enter);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
