/** Pagination: yields every item once, in order, with no more requests than necessary. */
import { describe, expect, test } from '@jest/globals';
import { InvalidResponseError, NotFoundError } from '../../client/src/index.js';
import {
  type Responder,
  dataResponse,
  errorResponse,
  jsonResponse,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

function page(ids: number[], { total = 250, has_more = true } = {}): Responder {
  const items = ids.map((id) => ({ id: `agent_${id}` }));
  return jsonResponse(200, { data: items, pagination: { limit: 100, offset: 0, total, has_more } });
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

const queries = () =>
  server.received.map(({ path }) => Object.fromEntries(new URL(path, server.url).searchParams));

describe('A list', () => {
  test('yields every item in order, from pages of a hundred', async () => {
    server.respondWith(
      page(numbers(0, 100)),
      page(numbers(100, 200)),
      page(numbers(200, 250), { has_more: false }),
    );
    const ids: string[] = [];
    for await (const { id } of server.client().agents.list()) ids.push(id);
    expect(ids).toEqual(numbers(0, 250).map((id) => `agent_${id}`));
    expect(queries()).toEqual(['0', '100', '200'].map((offset) => ({ limit: '100', offset })));
  });

  test('starts at the offset, in pages of the limit, with the filters in each request', async () => {
    server.respondWith(page([5, 6]), page([7], { has_more: false }));
    const query = { offset: 5, limit: 2, status: 'running', sort: '-name' } as const;
    const ids: string[] = [];
    for await (const { id } of server.client().agents.list(query)) ids.push(id);
    expect(ids).toEqual(['agent_5', 'agent_6', 'agent_7']);
    const common = { limit: '2', status: 'running', sort: '-name' };
    expect(queries()).toEqual([
      { ...common, offset: '5' },
      { ...common, offset: '7' },
    ]);
  });

  test('fetches no page before it is read', async () => {
    server.respondWith(page([1, 2]));
    const list = server.client().agents.list({ limit: 2 });
    expect(server.received).toEqual([]);
    for await (const { id } of list) if (id === 'agent_2') break;
    expect(server.received).toHaveLength(1);
  });

  test('can be read twice, or as a single page', async () => {
    server.respondWith(page([1], { total: 1, has_more: false }));
    const list = server.client().agents.list({ offset: 3 });
    for await (const { id } of list) expect(id).toBe('agent_1');
    for await (const { id } of list) expect(id).toBe('agent_1');
    expect(server.received).toHaveLength(2);
    expect(await list.page()).toMatchObject({ pagination: { total: 1, has_more: false } });
    expect(queries().at(-1)).toEqual({ offset: '3' });
  });

  test('sends timestamps unchanged', async () => {
    server.respondWith(page([], { has_more: false }));
    const start_time = '2026-01-01T00:00:00.000Z';
    await server.client().logs.list('bot', { start_time, level: 'warn' }).page();
    expect(queries()).toEqual([{ start_time, level: 'warn' }]);
  });

  test.each([
    ['announces more but returns nothing', page([]), 0],
    ['returns the same page again and again', page([1, 2], { total: 3 }), 4],
  ])('ends although the server %s', async (_name, respond, count) => {
    server.respondWith(respond);
    const ids: string[] = [];
    for await (const { id } of server.client().agents.list()) ids.push(id);
    expect(ids).toHaveLength(count);
  });
});

describe('toArray', () => {
  test('reads every item', async () => {
    server.respondWith(page(numbers(0, 100)), page(numbers(100, 150), { has_more: false }));
    expect(await server.client().agents.list().toArray()).toHaveLength(150);
    expect(server.received).toHaveLength(2);
  });

  test('reads no more items and no larger pages than its limit needs', async () => {
    server.respondWith(page([1, 2, 3]));
    const list = server.client().agents.list();
    const items = await list.toArray({ limit: 3 });
    expect(items.map(({ id }) => id)).toEqual(['agent_1', 'agent_2', 'agent_3']);
    expect(queries()).toEqual([{ limit: '3', offset: '0' }]);

    server.respondWith(page(numbers(0, 100)), page(numbers(100, 200)));
    expect(await list.toArray({ limit: 120 })).toHaveLength(120);
    expect(server.received).toHaveLength(2);

    server.respondWith(page([5, 6]), page([7, 8]));
    const paged = server.client().agents.list({ limit: 2, offset: 5 });
    expect(await paged.toArray({ limit: 3 })).toHaveLength(3);
    expect(queries().map(({ offset }) => offset)).toEqual(['5', '7']);
    expect(await paged.toArray({ limit: 0 })).toEqual([]);
    expect(server.received).toHaveLength(2);
  });
});

describe('An awaited list', () => {
  test('resolves to its page, and behaves like a promise', async () => {
    server.respondWith(page([1], { total: 1, has_more: false }));
    const list = server.client().agents.list({ limit: 1 });
    const { data, pagination } = await list;
    expect([data.length, pagination.total]).toEqual([1, 1]);
    let isSettled = false;
    await list.finally(() => {
      isSettled = true;
    });
    expect(isSettled).toBe(true);
    expect(server.received).toHaveLength(2);
    server.respondWith(errorResponse(404, 'not_found'));
    expect(await list.catch((error: unknown) => error)).toBeInstanceOf(NotFoundError);
  });
});

describe('A search', () => {
  const search = (limit?: number) =>
    server.client().memory.search('bot', { query: 'refund', ...(limit && { limit }) });
  const bodies = () => server.received.map(({ body }): unknown => JSON.parse(body));

  test('is a list: its best matches can be iterated, or read as an array or a page', async () => {
    server.respondWith(page([1, 2, 3]));
    const ids: string[] = [];
    for await (const { id } of search()) ids.push(id);
    expect(ids).toEqual(['agent_1', 'agent_2', 'agent_3']);
    expect(await search(3).toArray()).toHaveLength(3);
    expect(await search().toArray({ limit: 2 })).toHaveLength(2);
    expect((await search()).data).toHaveLength(3);
    expect(bodies()).toEqual([
      { query: 'refund', limit: 100 },
      { query: 'refund', limit: 3 },
      { query: 'refund', limit: 2 },
      { query: 'refund' },
    ]);
  });
});

describe('A list that fails', () => {
  test('yields the items before the error, then rejects', async () => {
    server.respondWith(page([1]), errorResponse(404, 'not_found'));
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of server.client().agents.list()) ids.push(id);
    };
    await expect(read()).rejects.toThrow(NotFoundError);
    expect(ids).toEqual(['agent_1']);
  });

  test.each([
    ['an object', dataResponse({ id: 'agent_1' })],
    ['data that is not an array', jsonResponse(200, { data: { 0: 'a' }, pagination: {} })],
    ['an array', jsonResponse(200, [])],
  ])('because it is %s is an InvalidResponseError', async (_name, respond) => {
    server.respondWith(respond);
    const list = server.client().agents.list();
    await expect(list.page()).rejects.toThrow(InvalidResponseError);
    await expect(list[Symbol.asyncIterator]().next()).rejects.toThrow(InvalidResponseError);
  });
});
