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

export interface FairQueueOptions {
  /** What an account may hold while others come too. By default what is left free. */
  maxInCompany?: number;
  now?: () => number;
}

/** How long nobody else has come where one is alone. */
const aloneAfterMs = 1_000;

export function createFairQueue(
  slots: number,
  { maxInCompany = Infinity, now = () => performance.now() }: FairQueueOptions = {},
): FairQueue {
  const shares = createFairShares(slots);
  const latest = { accountId: '', changedAt: -Infinity };
  // In the order in which accounts get their next slot.
  const queues = new Map<string, (() => void)[]>();

  const note = (accountId: string) => {
    if (latest.accountId === accountId) return;
    if (latest.accountId !== '') latest.changedAt = now();
    latest.accountId = accountId;
  };
  const canTake = (accountId: string) => {
    if (!shares.canTake(accountId)) return false;
    const held = shares.held().get(accountId) ?? 0;
    return held < maxInCompany || now() - latest.changedAt > aloneAfterMs;
  };

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
      if (!canTake(accountId)) continue;
      const next = queue.shift();
      queues.delete(accountId);
      if (queue.length > 0) queues.set(accountId, queue);
      next?.();
    }
  };

  return {
    enter: async (accountId) => {
      note(accountId);
      const queue = queues.get(accountId);
      if (queue === undefined && canTake(accountId)) return take(accountId);
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
