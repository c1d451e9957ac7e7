/** What commands that list things have in common. */
import type { Command } from 'commander';
import type { Pages } from '../src/index.js';
import type { Context } from './context.js';
import { count } from './numbers.js';
import type { Column } from './table.js';

/** What the service gives at most in one page. */
const largestPage = 100;

export function listOptions(command: Command): Command {
  return command.option('--limit <number>', 'how many at most', count, 50);
}

/** Shows the first so many items, from as many pages as that takes, and says if there are more. */
export async function showList<Item>(
  { output, wait }: Context,
  limit: number,
  columns: Column<Item>[],
  list: (query: { limit: number }) => Pages<Item>,
): Promise<void> {
  // One more than is wanted tells whether it is the last.
  const pages = list({ limit: Math.min(limit + 1, largestPage) });
  const items = await wait('Reading', taken(pages, limit + 1));
  output.list(items.slice(0, limit), columns);
  if (items.length > limit) {
    output.note(`There are more than these ${limit}; --limit shows more.`);
  }
}

async function taken<Item>(pages: Pages<Item>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) {
    items.push(item);
    if (items.length >= limit) break;
  }
  return items;
}
