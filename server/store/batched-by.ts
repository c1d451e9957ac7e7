/** Batches calls in a line for each key, such as an account: nobody waits for what the calls of somebody else lock. */
import { putLatest } from '../lib/put-latest.js';
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
    putLatest(lines, key, line, maxLines);
    return line(item);
  };
}
