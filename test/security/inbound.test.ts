/** Limits of tools: only declared arguments are sent, tool lists are cached, and results are bounded. */
import { describe, expect, test } from '@jest/globals';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';
import { message } from '../invocations/service-with-model.js';

const {
  fixture,
  orders,
  shop,
  manifestOf,
  apply,
  newToolAgent,
  scriptModel,
  results,
  logOfFailure,
} = useToolFixtures();

const lookup = { name: 'orders_lookup', arguments: { order_id: '5512' } };
const say = (name: string, text = 'Paid?') =>
  fixture.tenant.api.expect('invokeAgent', 200, message(name, text));

describe('an HTTP tool', () => {
  const call = async (tool: object, args: object) => {
    const name = `caller-${Math.random().toString(36).slice(2)}`;
    const [, price] = manifestOf(name).tools.http;
    const tools = { http: [{ ...price, ...tool }] };
    const applied = await apply({ ...manifestOf(name), tools });
    if (applied.code !== 0) return applied.stderr;
    scriptModel([{ name: 'price', arguments: args }], 'Done.');
    await say(name);
    return shop.received[0];
  };
  const parameters = { type: 'object', properties: { article: { type: 'string' } } };

  test('does not reach the parent path with a dot as argument', async () => {
    const required = { ...parameters, required: ['article'] };
    const url = `${shop.url}/prices/{article}`;
    expect(await call({ method: 'DELETE', url, parameters: required }, { article: '.' })).toBe(
      undefined,
    );
    expect(results()[0]).toMatch(/must not be '\.' or '\.\.'/);
  });

  test.each(['GET', 'POST'])('sends only declared arguments, with %s', async (method) => {
    const url = `${shop.url}/prices?tenant=7`;
    const args = { article: 'bell', admin: true, tenant: '8' };
    expect(await call({ method, url, parameters }, args)).toMatchObject({
      url: method === 'GET' ? '/prices?tenant=7&article=bell' : '/prices?tenant=7',
      body: method === 'GET' ? '' : '{"article":"bell"}',
    });
  });

  test('is rejected when a parameter is also in the query of its URL', async () => {
    const url = `${shop.url}/prices?article=bell`;
    expect(await call({ url, parameters }, {})).toMatch(
      /tools\.http\.0\.url has 'article' in its query, which must not be in 'parameters' too/,
    );
  });
});

describe("an MCP server's tool list", () => {
  test('is fetched once for many invocations, and the server is contacted only for calls', async () => {
    const name = await newToolAgent();
    orders.lists = 0;
    for (let n = 0; n < 3; n += 1) {
      scriptModel('Yes.');
      await say(name);
    }
    const requests = orders.authorizations.length;
    scriptModel('Yes.');
    await Promise.all([say(name), say(name)]);
    expect(orders.authorizations).toHaveLength(requests);
    expect(orders.lists).toBe(1);
    scriptModel([lookup], 'Yes.');
    await say(name);
    expect(orders.called).toHaveLength(1);
    expect(orders.lists).toBe(1);
  });

  test('that is cached lets the invocation continue while the server is down', async () => {
    const name = await newToolAgent();
    scriptModel('Yes.');
    await say(name);
    orders.intercept = (_req, res) => void res.writeHead(503).end();
    scriptModel([lookup], 'Sorry.');
    await say(name);
    expect(results()).toEqual(['the server answered with status 503']);
  });

  test.each([
    ['has too many tools', { tools: manyTools(1_001) }],
    ['has no end', { tools: manyTools(1), nextCursor: 'more' }],
    ['is too large', { tools: manyTools(3, 'x'.repeat(500_000)), nextCursor: 'more' }],
  ])('that %s fails the invocation', async (_, result) => {
    const name = await newToolAgent();
    orders.answerLists = (id) => ({ jsonrpc: '2.0', id, result });
    orders.lists = 0;
    expect(await logOfFailure(message(name, 'Paid?'))).toMatch(
      /the MCP server 'orders' cannot be used: its list of tools is too long/,
    );
    expect(orders.lists).toBeLessThanOrEqual(20);
  });
});

function manyTools(count: number, description = '') {
  return Array.from({ length: count }, (_, n) => ({
    name: `tool-${n}`,
    description,
    inputSchema: { type: 'object' },
  }));
}

test.each([
  [
    'items',
    { content: Array.from({ length: 1_001 }, () => ({ type: 'text', text: 'x' })) },
    /more than 1000 items/,
  ],
  [
    'values',
    { structuredContent: { list: Array.from({ length: 50_001 }, () => 0) } },
    /its response is too large/,
  ],
])('a result with too many %s fails the call', async (_, result, told) => {
  const name = await newToolAgent();
  orders.answerCalls = (id) => ({ jsonrpc: '2.0', id, result });
  scriptModel([lookup], 'Sorry.');
  await say(name);
  expect(results()[0]).toMatch(told);
});

test('at most 32 calls reach a host at a time, and the others wait', async () => {
  const waiting: (() => void)[] = [];
  let [received, most] = [0, 0];
  const server = await startHttpServer((_req, res) => {
    received += 1;
    waiting.push(() => res.end('{}'));
    most = Math.max(most, waiting.length);
    // With 32 pending, one is answered for each that arrives, and all when the last one has arrived.
    if (received === 64) for (const answer of waiting.splice(0)) answer();
    else if (waiting.length >= 32) setTimeout(() => waiting.shift()?.(), 20);
  });
  const [, price] = manifestOf('').tools.http;
  const url = `${server.url}/prices`;
  const names = ['crowd-1', 'crowd-2'];
  for (const name of names) {
    await apply({ ...manifestOf(name), tools: { http: [{ ...price, url }] } });
  }
  const calls = Array.from({ length: 32 }, () => ({ name: 'price', arguments: { article: 'a' } }));
  scriptModel(calls, calls, 'Done.');
  await Promise.all(names.map((name) => say(name)));
  expect(most).toBe(32);
  await server.stop();
});
