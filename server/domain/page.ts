/** Pagination of lists. */
import type { Pagination } from '../../generated/api.js';
import type { Page, PageRequest } from '../store/postgres/page.js';

export function paginationOf(
  { limit, offset }: PageRequest,
  { items, total }: Page<unknown>,
): Pagination {
  return { limit, offset, total, has_more: offset + items.length < total };
}
