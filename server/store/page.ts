/** Pages of a list, each with the number of all that fit. */

export interface PageRequest {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}

export interface PageReaders<Item> {
  items: (window: { take: number; skip: number }) => Promise<Item[]>;
  total: () => Promise<number>;
}

/** Reads through Prisma, the items and their number at the same time. */
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

/** A row of a statement that reads both together; a page with nothing on it is one row with the total alone. */
export type PageRow<Item> = { total: number } & (Item | { id: null });

export function pageOf<Item extends { id: string }>(rows: PageRow<Item>[]): Page<Item> {
  return {
    items: rows.filter((row): row is { total: number } & Item => row.id !== null),
    total: rows[0]?.total ?? 0,
  };
}
