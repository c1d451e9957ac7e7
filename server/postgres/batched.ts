/**
 * Batches calls: calls that are made while a statement runs share the next one. If no statement is running, one starts with the
 * calls of the current event loop iteration, so that a single call hardly waits.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { isStoreUnavailable } from './errors.js';

interface Batching<Item> {
  /** Calls with the same key share statements, and never wait for those of another key. By default, all calls have the same key. */
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
  /** The waiting calls by key. A key is present while one of its statements runs. */
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
      // A single item may have failed the whole batch, so each item runs on its own.
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
