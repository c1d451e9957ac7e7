/** Lists: a single page, or every item, page after page. */
import { InvalidResponseError } from './errors.js';
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

export function createPages<Item>(
  request: (query: object) => Promise<Partial<Page<Item>>>,
  query: PageQuery = {},
): Pages<Item> {
  const fetchPage = async (pageQuery: object): Promise<Page<Item>> => {
    const { data, pagination } = await request(pageQuery);
    if (pagination && Array.isArray(data)) return { data, pagination };
    throw new InvalidResponseError('The answer is no list: check baseUrl.');
  };
  return {
    page: () => fetchPage(query),
    async *[Symbol.asyncIterator]() {
      let { offset = 0 } = query;
      for (;;) {
        const { data, pagination } = await fetchPage({ limit: pageSize, ...query, offset });
        yield* data;
        offset += data.length;
        // An empty page and the total end a list in any case, so that no server can keep the loop going.
        if (!pagination.has_more || !data[0] || offset >= pagination.total) return;
      }
    },
  };
}
