/** What commands that list things have in common. */
import type { Command } from 'commander';
import type { Pages } from '../src/index.js';
import { count } from './numbers.js';

export function listOptions(command: Command): Command {
  return command.option('--limit <number>', 'how many at most', count, 50);
}

/** The first so many items, from as many pages as that takes. */
export async function taken<Item>(pages: Pages<Item>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) {
    items.push(item);
    if (items.length >= limit) break;
  }
  return items;
}
