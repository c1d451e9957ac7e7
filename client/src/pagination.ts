/** Lists: a single page, or every item, page after page. */
import type { ApiPromise } from './api-promise.js';
import { InvalidResponseError } from './errors.js';
import type { Pagination } from './generated/schema.js';
import { pageSize } from './generated/service.js';
import type { Envelope } from './response.js';

export interface Page<Item> {
  data: Item[];
  /** Where this page lies in the whole list. */
  pagination: Pagination;
}

/**
 * A list. With `for await` it is every item, from pages that are fetched when they are needed; with `await` it is the
 * one page that `limit` and `offset` choose. Nothing is sent before.
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
      // An empty page and the total end a list in any case, so that no server can keep the loop going.
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
  throw new InvalidResponseError('The answer is no list: check baseUrl.');
}
