/**
 * Works through a queue whose items are claimed under leases: it claims when woken or when the poll interval is over,
 * renews the leases of what is being worked on, aborts work whose lease was lost, and gives unfinished work back when it
 * stops. Deliveries and asynchronous invocations both run on it; the queue itself is a table, and each decides what and
 * how much to claim.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { WakeUp } from '../lib/wake-up.js';

export interface LeaseLoopOptions<Item> {
  /** Claims what is due, as much as there is room for. `more`: claim again at once instead of waiting. */
  claim: () => Promise<{ items: readonly Item[]; more: boolean }>;
  /** Identifies the lease of an item. */
  keyOf: (item: Item) => string;
  /** Rejects if the item was not worked on to the end. */
  work: (item: Item, lease: Lease) => Promise<void>;
  /** Extends leases, and returns the keys of those that are still held. */
  renew: (items: Item[]) => Promise<ReadonlySet<string>>;
  /** Gives items back, so that other instances need not wait for their leases to expire. */
  release: (items: Item[]) => Promise<void>;
  onError: (error: unknown) => void;
  /** Called whenever work on an item ends, with or without success. */
  onDone?: () => void;
  /** Announces that there may be something to claim. */
  wakeUp: WakeUp;
  /** The safety net for wake-ups that were lost, and for leases of dead workers, which nobody announces. */
  pollMs: number;
  /** Well within the lease. */
  renewEveryMs: number;
}

export interface Lease {
  /** Aborted with a LeaseEnded: the lease was lost, or the grace period of a shutdown is over. */
  signal: AbortSignal;
  /** Ends renewal and abortion, for work whose last step settles the lease by itself. */
  letGo: () => void;
}

export class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
  readonly because: 'lost' | 'stopping';

  constructor(because: 'lost' | 'stopping') {
    super(because === 'lost' ? 'The lease was lost.' : 'The worker is stopping.');
    this.because = because;
  }
}

export interface LeaseLoop {
  /** Claims nothing more, lets work finish within the grace period, then aborts the rest and gives it back. */
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
    const letGo = () => held.delete(key);
    try {
      await options.work(item, { signal: abort.signal, letGo });
    } catch (error) {
      if (!abort.signal.aborted) onError(error);
      else if (because(abort.signal) === 'stopping') unfinished.push(item);
    } finally {
      letGo();
    }
  };

  const start = (item: Item) => {
    const working = work(item).finally(() => {
      running.delete(working);
      options.onDone?.();
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
    const renewed = [...held.entries()];
    if (isRenewing || renewed.length === 0) return;
    isRenewing = true;
    try {
      const kept = await renew(renewed.map(([, { item }]) => item));
      for (const [key, { abort }] of renewed) {
        if (!kept.has(key)) abort.abort(new LeaseEnded('lost'));
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

function because({ reason }: AbortSignal): LeaseEnded['because'] | undefined {
  return reason instanceof LeaseEnded ? reason.because : undefined;
}

async function settledWithin(work: Iterable<Promise<void>>, ms: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    Promise.allSettled(work),
    delay(ms, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
}
