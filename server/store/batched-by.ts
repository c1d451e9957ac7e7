/** Batches calls in a line for each key, such as an account: nobody waits for what the calls of somebody else lock. */
import { type Batching, batched } from './batched.js';

/** A line that is forgotten runs to its end beside its successor. */
const maxLines = 1_000;

export function batchedBy<Item, Result>(
  keyOf: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<Result[]>,
  options: Batching<Item> = {},
): (item: Item) => Promise<Result> {
  const lines = new Map<string, (item: Item) => Promise<Result>>();
  return (item) => {
    const key = keyOf(item);
    const line = lines.get(key) ?? batched(run, options);
    lines.delete(key);
    lines.set(key, line);
    const oldest = lines.keys().next();
    if (lines.size > maxLines && oldest.done !== true) lines.delete(oldest.value);
    return line(item);
  };
}
