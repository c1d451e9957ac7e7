/** Reads pages of a list, each with the total number of matching items. */
import type { Page, PageRequest } from '../contract/page.js';
import type { Queryable } from './connection.js';
import { pageWithTotal, parameters } from './fragments.sql.js';
import { columnOf } from './rows.sql.js';

interface PageQuery extends PageRequest {
  table: string;
  /** Of the model in prisma/schema.prisma. */
  fields: readonly string[];
  /** Columns whose names are not those of their fields in snake case. */
  renamed?: Readonly<Record<string, string>>;
  /** Conditions, with `?` for their value. Those whose value is undefined are left out. */
  where: Record<string, unknown>;
  order: string;
}

/** Each combination of conditions is its own statement, so that PostgreSQL plans it with the matching index. */
export async function readPage<Item extends { id: string }>(
  database: Queryable,
  { table, fields, renamed = {}, where, order, limit, offset }: PageQuery,
): Promise<Page<Item>> {
  const { values, bind } = parameters();
  const given = Object.entries(where).filter(([, value]) => value !== undefined);
  const conditions = given
    .map(([condition, value]) => condition.replace('?', () => bind(value)))
    .join(' AND ');
  const combination = Object.values(where)
    .map((value) => (value === undefined ? 0 : 1))
    .join('');
  const statement = {
    name: `${table}_by_${order.replaceAll(/\W+/g, '_')}_${combination}`,
    text: pageWithTotal(
      fields.map((field) => `${renamed[field] ?? columnOf(field)} AS "${field}"`).join(', '),
      `SELECT count(*)::int AS total FROM ${table} WHERE ${conditions}`,
      `SELECT * FROM ${table} WHERE ${conditions}
        ORDER BY ${order} LIMIT ${bind(limit)} OFFSET ${bind(offset)}`,
      order,
    ),
  };
  return pageOf(await database.run<PageRow<Item>>(statement, values));
}

/** A row of a statement that reads a page with its total. An empty page is one row with only the total. */
export type PageRow<Item> = { total: number } & (Item | { id: null });

export function pageOf<Item extends { id: string }>(rows: PageRow<Item>[]): Page<Item> {
  return {
    items: rows.filter((row): row is { total: number } & Item => row.id !== null),
    total: rows[0]?.total ?? 0,
  };
}
