/**
 * Batches calls: those made while a statement runs wait, and share the next one. Without a running statement one starts with the
 * calls of this iteration of the event loop, so that a single call hardly waits.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { isStoreUnavailable } from './errors.js';

export interface Batching<Item> {
  /** Calls with the same key share statements, and never wait for those of another key. By default all have the same. */
  keyOf?: (item: Item) => string;
  maxItems?: number;
}

interface PendingCall<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** `run` returns one result per item, in order, and is atomic: it takes effect for all items or for none. */
export function batched<Item, Result>(
  run: (items: readonly Item[]) => Promise<Result[]>,
  { keyOf = () => '', maxItems = 64 }: Batching<Item> = {},
): (item: Item) => Promise<Result> {
  /** What waits, by key. A key is there as long as a statement of it runs. */
  const waiting = new Map<string, PendingCall<Item, Result>[]>();

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
      if (batch.length === 1 || isStoreUnavailable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // A single item may have failed the whole batch: run each item on its own.
      for (const call of batch) await settle([call]);
    }
  };

  const runAll = async (key: string, queue: PendingCall<Item, Result>[]) => {
    await nextIteration();
    while (queue.length > 0) await settle(queue.splice(0, maxItems));
    waiting.delete(key);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item);
      const queue = waiting.get(key) ?? [];
      queue.push({ item, resolve, reject });
      if (waiting.has(key)) return;
      waiting.set(key, queue);
      void runAll(key, queue);
    });
}
