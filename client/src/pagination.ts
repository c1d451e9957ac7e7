/** Lists: a single page, or every item, page by page. */
import type { ApiPromise } from './api-promise.js';
import { InvalidResponseError } from './errors.js';
import type { Pagination } from './generated/schema.js';
import { pageSize } from './generated/service.js';
import type { Envelope } from './response.js';

export interface Page<Item> {
  data: Item[];
  /** The position of this page in the list. */
  pagination: Pagination;
}

/**
 * A list. `for await` iterates over every item and fetches pages as they are needed; `await` resolves to the one page
 * that `limit` and `offset` select. No request is sent before that.
 */
export interface Pages<Item> extends AsyncIterable<Item>, ApiPromise<Page<Item>> {
  /** The same page as with `await`. */
  page: () => ApiPromise<Page<Item>>;
  /** Every item, or as many as `limit` allows, in an array. */
  toArray: (options?: { limit?: number }) => Promise<Item[]>;
}

interface PageQuery {
  offset?: number;
}

export function createPages<Item>(
  page: (query: object) => ApiPromise<Page<Item>>,
  query: PageQuery = {},
  hasOffset = true,
): Pages<Item> {
  async function* readItems(limit = Infinity): AsyncGenerator<Item, void> {
    let { offset = 0 } = query;
    const end = offset + limit;
    while (offset < end) {
      const { data, pagination } = await page({
        limit: Math.min(pageSize, limit),
        ...query,
        ...(hasOffset && { offset }),
      });
      yield* data.slice(0, end - offset);
      offset += data.length;
      // Also stop at an empty page and at the total, so that a faulty server cannot cause an endless loop.
      if (!hasOffset || !pagination.has_more || !data[0] || offset >= pagination.total) return;
    }
  }
  const first = () => page(query);
  return {
    page: first,
    toArray: async ({ limit } = {}) => {
      const items: Item[] = [];
      for await (const item of readItems(limit)) items.push(item);
      return items;
    },
    withResponse: () => first().withResponse(),
    then: (...handlers) => first().then(...handlers),
    catch: (handler) => first().catch(handler),
    finally: (handler) => first().finally(handler),
    [Symbol.asyncIterator]: () => readItems(),
    [Symbol.toStringTag]: 'Pages',
  };
}

export function toPage(body: Envelope): Page<never> {
  const { data, pagination } = body as Partial<Page<never>>;
  if (pagination && Array.isArray(data)) return { data, pagination };
  throw new InvalidResponseError('The response is not a list: check baseUrl.');
}
