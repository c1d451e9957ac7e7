/** Shared by the commands that list resources. */
import type { Command } from 'commander';
import { pageSize } from '../src/generated/service.js';
import type { Pages } from '../src/index.js';
import type { Context } from './context.js';
import { parsePositiveInteger } from './option-parsers.js';
import type { Column } from './table.js';

export function addListOptions(command: Command): Command {
  return command.option('--limit <number>', 'how many at most', parsePositiveInteger, 50);
}

/** Prints items up to the limit, and a note if there are more. */
export async function printList<Item>(
  { output, withSpinner }: Context,
  limit: number,
  columns: Column<Item>[] | ((items: Item[]) => Promise<Column<Item>[]>),
  list: (query: { limit: number }) => Pages<Item>,
): Promise<void> {
  const columnsFor = async (items: Item[]) => {
    if (Array.isArray(columns)) return columns;
    return output.isJson ? [] : withSpinner('Reading', columns(items));
  };
  // Reading one more than the limit shows whether there are more.
  const pages = list({ limit: Math.min(limit + 1, pageSize) });
  const items = await withSpinner('Reading', take(pages, limit + 1));
  const shown = items.slice(0, limit);
  output.list(shown, await columnsFor(shown));
  if (items.length > limit)
    output.note(`Only the first ${limit} are shown; raise --limit for more.`);
}

async function take<Item>(pages: Pages<Item>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) {
    items.push(item);
    if (items.length >= limit) break;
  }
  return items;
}
