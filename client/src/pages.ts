/** Lists: one page when asked for, or every item, page after page. */
import { pageSize } from './generated/service.js';
import type { Pagination } from './generated/schema.js';

export interface Page<Item> {
  data: Item[];
  pagination: Pagination;
}

/** Every item of a list, with `for await`; pages are fetched when they are needed. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The one page that `limit` and `offset` choose. */
  page: () => Promise<Page<Item>>;
}

interface PageQuery {
  offset?: number;
}

export function pagesOf<Item>(
  fetchPage: (query: object) => Promise<Page<Item>>,
  query: PageQuery = {},
): Pages<Item> {
  return {
    page: () => fetchPage(query),
    async *[Symbol.asyncIterator]() {
      let { offset = 0 } = query;
      for (;;) {
        const { data, pagination } = await fetchPage({ limit: pageSize, ...query, offset });
        yield* data;
        offset += data.length;
        // An empty page ends the list in any case: a server must not keep us in a circle.
        if (!pagination.has_more || !data[0]) return;
      }
    },
  };
}
