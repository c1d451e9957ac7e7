/**
 * Processes a queue whose items are claimed under leases: claims when woken or when the poll interval elapses, renews the
 * leases of items in progress, aborts work whose lease was lost, and releases unfinished items on shutdown. Shared by
 * deliveries and asynchronous invocations; the queue itself is a table, and each caller decides what and how much to claim.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { WakeUp } from '../lib/async/wake-up.js';

interface LeaseLoopOptions<Item> {
  /** Claims due items up to the free capacity. `more`: claim again immediately instead of waiting. */
  claim: () => Promise<{ items: readonly Item[]; more: boolean }>;
  /** Identifies the lease of an item. */
  keyOf: (item: Item) => string;
  /** Rejects if the item was not completed. */
  work: (item: Item, lease: Lease) => Promise<void>;
  /** Extends leases and returns the keys of those still held. */
  renew: (items: Item[]) => Promise<ReadonlySet<string>>;
  /** Releases leases, so that other instances need not wait for them to expire. */
  release: (items: Item[]) => Promise<void>;
  onError: (error: unknown) => void;
  /** Called when another worker has taken over an item in progress. */
  onLost?: () => void;
  /** Signals that there may be something to claim. */
  wakeUp: WakeUp;
  /** The fallback for lost wake-ups and for the leases of dead workers, whose expiry is not announced. */
  pollMs: number;
  /** Must be well below the lease duration. */
  renewEveryMs: number;
}

export interface Lease {
  /** Aborted with a LeaseEnded when the lease is lost or the shutdown's grace period is over. */
  signal: AbortSignal;
  /** Whether the shutdown has begun: work that another process can go on with should end soon. */
  isStopping: () => boolean;
  /** Stops renewing and aborting, for work whose last step releases the lease itself. */
  detach: () => void;
}

export class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
  readonly kind: 'lost' | 'stopping';

  constructor(kind: 'lost' | 'stopping') {
    super(kind === 'lost' ? 'The lease was lost.' : 'The worker is stopping.');
    this.kind = kind;
  }
}

export interface LeaseLoop {
  /** Shuts down gracefully: stops claiming, lets work finish within the grace period, then aborts and releases the rest. */
  stop: (gracePeriodMs: number) => Promise<void>;
}

export function startLeaseLoop<Item>(options: LeaseLoopOptions<Item>): LeaseLoop {
  const { claim, keyOf, renew, release, onError, wakeUp, pollMs, renewEveryMs } = options;
  const held = new Map<string, { item: Item; abort: AbortController }>();
  const running = new Set<Promise<void>>();
  const unfinished: Item[] = [];
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;

  const work = async (item: Item) => {
    const key = keyOf(item);
    const abort = new AbortController();
    held.set(key, { item, abort });
    const detach = () => held.delete(key);
    try {
      await options.work(item, { signal: abort.signal, isStopping, detach });
    } catch (error) {
      if (!abort.signal.aborted) onError(error);
      else if (abortKind(abort.signal) === 'stopping') unfinished.push(item);
    } finally {
      detach();
    }
  };

  const start = (item: Item) => {
    const working = work(item).finally(() => {
      running.delete(working);
    });
    running.add(working);
  };

  const claimOnce = async (): Promise<boolean> => {
    const { items, more } = await claim();
    if (isStopping()) unfinished.push(...items);
    else items.forEach(start);
    return more;
  };

  const loop = async () => {
    while (!isStopping()) {
      try {
        while (!isStopping() && (await claimOnce()));
      } catch (error) {
        onError(error);
      }
      if (!isStopping()) await wakeUp.wait(pollMs);
    }
  };

  let isRenewing = false;
  const renewAll = async () => {
    const leases = [...held.entries()];
    if (isRenewing || leases.length === 0) return;
    isRenewing = true;
    try {
      const renewed = await renew(leases.map(([, { item }]) => item));
      for (const [key, { abort }] of leases) {
        if (renewed.has(key)) continue;
        options.onLost?.();
        abort.abort(new LeaseEnded('lost'));
      }
    } catch (error) {
      onError(error);
    } finally {
      isRenewing = false;
    }
  };
  const renewal = setInterval(() => void renewAll(), renewEveryMs);
  const looping = loop();

  return {
    stop: async (gracePeriodMs) => {
      stopping.abort();
      wakeUp.wake();
      await looping;
      await settledWithin(running, gracePeriodMs);
      for (const { abort } of held.values()) abort.abort(new LeaseEnded('stopping'));
      await Promise.allSettled(running);
      clearInterval(renewal);
      if (unfinished.length > 0) await release(unfinished).catch(onError);
    },
  };
}

function abortKind({ reason }: AbortSignal): LeaseEnded['kind'] | undefined {
  return reason instanceof LeaseEnded ? reason.kind : undefined;
}

async function settledWithin(work: Iterable<Promise<void>>, ms: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    Promise.allSettled(work),
    delay(ms, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
}
