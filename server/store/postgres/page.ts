/** Pages of a list, each with the total number of matching items. */

export interface PageRequest {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}

interface PageReaders<Item> {
  items: (window: { take: number; skip: number }) => Promise<Item[]>;
  total: () => Promise<number>;
}

/** Reads the items and the total concurrently, through Prisma. */
export async function readPage<Item>(
  { limit, offset }: PageRequest,
  read: PageReaders<Item>,
): Promise<Page<Item>> {
  const [items, total] = await Promise.all([
    read.items({ take: limit, skip: offset }),
    read.total(),
  ]);
  return { items, total };
}

/** A row of a statement that reads a page with its total. An empty page is one row with only the total. */
export type PageRow<Item> = { total: number } & (Item | { id: null });

export function pageOf<Item extends { id: string }>(rows: PageRow<Item>[]): Page<Item> {
  return {
    items: rows.filter((row): row is { total: number } & Item => row.id !== null),
    total: rows[0]?.total ?? 0,
  };
}
