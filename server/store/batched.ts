/** Batches calls: calls made while a statement is in flight are queued and share the next statement. */
import { setTimeout as delay } from 'node:timers/promises';
import { isConflict, isStoreUnavailable } from './errors.js';

/** How long no statement follows one of that many items that took so long. */
export type Rest = (items: number, tookMs: number) => number;

export interface Batching<Item> {
  /** Maximum number of statements in flight; more would only wait for the same disk. */
  inFlight?: number;
  /** How many are worth a second statement in flight, and are waited for no longer: a small batch costs more than it saves. */
  minConcurrentBatch?: number;
  maxItems?: number;
  maxWeight?: number;
  /** By default all weigh nothing. */
  weigh?: (item: Item) => number;
  restMs?: Rest;
}

/** Leaves the database twice as much time for others as a statement took. */
export const restTwiceAsLong: Rest = (_items, tookMs) => Math.min(1_000, 2 * tookMs);

/**
 * Waits a little for company, where there has been some: a short statement costs as much as many more items. Nobody who is alone
 * waits.
 */
export const restForCompany: Rest = (items, tookMs) => (items > 1 ? Math.min(5, tookMs) : 0);

interface PendingCall<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** `run` returns one result per item, in order, and is atomic: it takes effect for all items or for none. */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result[]>,
  options: Batching<Item> = {},
): (item: Item) => Promise<Result> {
  const {
    inFlight = 2,
    minConcurrentBatch = 24,
    maxItems = 64,
    maxWeight = 1_000_000,
    weigh = () => 0,
    restMs,
  } = options;
  const queue: PendingCall<Item, Result>[] = [];
  let running = 0;

  const takeBatch = () => {
    let weight = 0;
    const cut = queue.findIndex(({ item }, index) => {
      weight += weigh(item);
      return index > 0 && (weight > maxWeight || index >= maxItems);
    });
    return queue.splice(0, cut === -1 ? queue.length : cut);
  };

  const settle = async (batch: PendingCall<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined)
          reject(new RangeError('A batch returned fewer results than items.'));
        else resolve(result);
      });
    } catch (error) {
      if (batch.length === 1 || (isStoreUnavailable(error) && !isConflict(error))) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // A single item may have failed the whole batch: run each item on its own.
      for (const call of batch) await settle([call]);
    }
  };

  const runBatch = async () => {
    const startedAt = performance.now();
    const batch = takeBatch();
    await settle(batch);
    const pauseMs = restMs?.(batch.length, performance.now() - startedAt) ?? 0;
    if (pauseMs > 0) await delay(pauseMs);
    running -= 1;
    pump();
  };

  const shouldStart = () =>
    running === 0 ? queue.length > 0 : running < inFlight && queue.length >= minConcurrentBatch;

  const pump = () => {
    while (shouldStart()) {
      running += 1;
      void runBatch();
    }
  };

  // Requests come in handfuls, and a handful is read in several turns of the event loop: as long as each turn brings more, they
  // go together. Nobody waits for that who is alone, or where turns are short because there is little to do.
  let isGathering = false;
  const gather = (known: number) => {
    isGathering = true;
    setImmediate(() => {
      const { length } = queue;
      if (running === 0 && length > known && length < minConcurrentBatch) {
        gather(length);
        return;
      }
      isGathering = false;
      pump();
    });
  };

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isGathering) gather(queue.length);
    });
}
