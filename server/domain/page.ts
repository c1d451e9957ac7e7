/** Pagination of lists. */
import type { Pagination } from '../../generated/api.js';

export interface PageRequest {
  limit: number;
  offset: number;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}

export function paginationOf(
  { limit, offset }: PageRequest,
  { items, total }: Page<unknown>,
): Pagination {
  return { limit, offset, total, has_more: offset + items.length < total };
}
