/** Reads lists page by page, as a client does, and checks the pagination of every page. */
import { expect } from '@jest/globals';
import type { Pagination } from '../../../generated/api.js';
import type { OperationId } from '../../../generated/operations.js';
import type { Api, Call } from './api.js';

interface ListBody<Item> {
  data: Item[];
  pagination: Pagination;
}

/** Returns all items, read in pages of this size. Fails if a page has a wrong `total` or `has_more`. */
export async function readPages<Item>(
  api: Api,
  operationId: OperationId,
  limit: number,
  { query = {}, ...call }: Call = {},
): Promise<Item[]> {
  const items: Item[] = [];
  const totals = new Set<number>();
  for (let offset = 0; ; offset += limit) {
    const { status, body } = await api.call(operationId, {
      ...call,
      query: { ...query, limit, offset },
    });
    expect(status).toBe(200);
    // The contract check has validated that it is a list.
    const { data, pagination } = body as ListBody<Item>;
    items.push(...data);
    totals.add(pagination.total);
    expect(pagination).toMatchObject({ limit, offset, has_more: items.length < pagination.total });
    if (!pagination.has_more) break;
  }
  expect([...totals]).toEqual([items.length]);
  return items;
}
