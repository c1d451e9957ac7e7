/**
 * Limits concurrent attempts per account, per webhook and per receiving host, so that a hanging receiver does not delay
 * the others, and many webhooks on one host are no more than one. The capacity of a webhook starts small, doubles with
 * each success and halves with each failure. A slow attempt moves from the quick limit to the slow one, and failing
 * webhooks share a limit of their own.
 */
import { createFairShares } from '../lib/fair-shares.js';

export interface Limits {
  /**
   * Maximum number of concurrent attempts of one account that have run for less than `quickMs`. All accounts together
   * have twice as many, as they have of `slow` and `failing`.
   */
  quick: number;
  /** Maximum number of concurrent attempts, in addition to those, that have run for longer than `quickMs`. */
  slow: number;
  quickMs: number;
  /** Maximum number of concurrent attempts to webhooks whose last attempt failed. */
  failing: number;
  /** Concurrent attempts to a single webhook: initially, and at most. */
  initialCapacity: number;
  maxCapacity: number;
  /** Concurrent attempts to one host, however many webhooks and accounts use it. */
  maxPerHost: number;
}

export const defaultLimits: Limits = {
  quick: 128,
  slow: 500,
  quickMs: 1_000,
  failing: 250,
  initialCapacity: 2,
  maxCapacity: 16,
  maxPerHost: 16,
};

export interface Receivers {
  /** How many attempts can start now, of all accounts together. */
  freeSlots: () => number;
  /** How many quick attempts run, by account. */
  heldSlots: () => ReadonlyMap<string, number>;
  /** How many attempts can start per tracked webhook; any other has the initial capacity. */
  remainingCapacities: () => Map<string, number>;
  /** How many attempts can start per tracked host; any other has `maxPerHost`. */
  remainingPerHost: () => Map<string, number>;
  /** Whether attempts to failing webhooks can start, and of which accounts they cannot. */
  failingSlots: () => { areFree: boolean; exhaustedAccounts: string[] };
  begin: (target: AttemptTarget) => RunningAttempt;
}

export interface AttemptTarget {
  webhookId: string;
  host: string;
  accountId: string;
  isFailing: boolean;
}

export interface RunningAttempt {
  /** Frees the slots of webhook and host, and adjusts the capacity. Undefined: the outcome says nothing about them. */
  releaseReceiver: (succeeded: boolean | undefined) => void;
  /** Frees the account's slot, once the result has been recorded. */
  end: () => void;
}

interface TrackedWebhook {
  running: number;
  capacity: number;
  idleSince: number;
}

const idleTimeoutMs = 60_000;

/** Calls `onCapacity` whenever a slot becomes free. */
export function trackReceivers(onCapacity: () => void, limits: Limits = defaultLimits): Receivers {
  const webhooks = new Map<string, TrackedWebhook>();
  const runningByHost = new Map<string, number>();
  const quick = createFairShares(2 * limits.quick);
  const slow = createFairShares(2 * limits.slow);
  const failing = createFairShares(2 * limits.failing);

  const addToHost = (host: string, count: 1 | -1) => {
    const running = (runningByHost.get(host) ?? 0) + count;
    if (running === 0) runningByHost.delete(host);
    else runningByHost.set(host, running);
  };

  return {
    freeSlots: quick.free,
    heldSlots: quick.held,

    remainingCapacities() {
      const remaining = new Map<string, number>();
      for (const [id, { running, capacity, idleSince }] of webhooks) {
        if (running === 0 && idleSince + idleTimeoutMs < Date.now()) webhooks.delete(id);
        else remaining.set(id, Math.max(0, capacity - running));
      }
      return remaining;
    },

    remainingPerHost: () =>
      new Map(
        Array.from(runningByHost, ([host, running]) => [
          host,
          Math.max(0, limits.maxPerHost - running),
        ]),
      ),

    failingSlots: () => ({
      areFree: failing.free() > 0,
      exhaustedAccounts: [...failing.held().keys()].filter((id) => !failing.canTake(id)),
    }),

    begin({ webhookId, host, accountId, isFailing }) {
      const webhook = webhooks.get(webhookId) ?? {
        running: 0,
        capacity: limits.initialCapacity,
        idleSince: 0,
      };
      webhooks.set(webhookId, webhook);
      if (isFailing) webhook.capacity = 1;
      webhook.running += 1;
      addToHost(host, 1);
      quick.take(accountId);
      if (isFailing) failing.take(accountId);
      let slots = quick;
      const slowTimer = setTimeout(() => {
        if (!slow.canTake(accountId)) return;
        quick.release(accountId);
        slow.take(accountId);
        slots = slow;
        onCapacity();
      }, limits.quickMs);

      return {
        releaseReceiver(succeeded) {
          webhook.running -= 1;
          webhook.idleSince = Date.now();
          addToHost(host, -1);
          if (succeeded !== undefined) {
            webhook.capacity = succeeded
              ? Math.min(webhook.capacity * 2, limits.maxCapacity)
              : Math.max(1, Math.floor(webhook.capacity / 2));
          }
          onCapacity();
        },
        end() {
          clearTimeout(slowTimer);
          slots.release(accountId);
          if (isFailing) failing.release(accountId);
          onCapacity();
        },
      };
    },
  };
}
