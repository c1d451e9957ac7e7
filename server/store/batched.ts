/** Batches calls: while statements are under way, further calls wait, and then share the next statement. */
import { isStoreUnavailable } from './errors.js';

export interface Batching {
  /** How many statements may be under way; more of them would wait for the same disk. */
  inFlight?: number;
  /** How many calls must wait before they go beside another statement: small batches cost more than they gain. */
  minConcurrentBatch?: number;
  maxItems?: number;
  maxWeight?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** `run` returns one result for each item, in their order, and has an effect for all of them or for none. */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result[]>,
  options: Batching & { weigh: (item: Item) => number },
): (item: Item) => Promise<Result> {
  const {
    inFlight = 2,
    minConcurrentBatch = 16,
    maxItems = 64,
    maxWeight = 1_000_000,
    weigh,
  } = options;
  const queue: Waiting<Item, Result>[] = [];
  let running = 0;

  const takeBatch = () => {
    let weight = 0;
    const cut = queue.findIndex(({ item }, index) => {
      weight += weigh(item);
      return index > 0 && (weight > maxWeight || index >= maxItems);
    });
    return queue.splice(0, cut === -1 ? queue.length : cut);
  };

  const settle = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new RangeError('A batch came back with too few results.'));
        else resolve(result);
      });
    } catch (error) {
      if (batch.length === 1 || isStoreUnavailable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One item makes the whole batch fail: run each on its own to find it.
      for (const waiting of batch) await settle([waiting]);
    }
  };

  const isWorthAStatement = () =>
    running === 0 ? queue.length > 0 : running < inFlight && queue.length >= minConcurrentBatch;

  const pump = () => {
    while (isWorthAStatement()) {
      running += 1;
      void settle(takeBatch()).finally(() => {
        running -= 1;
        pump();
      });
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      pump();
    });
}
