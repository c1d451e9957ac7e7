/** Tools act for the user of the request, whatever the model says: fixed arguments, and headers with the caller's token. */
import { describe, expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { asynchronous, tokenOf, toolAuthorization, useActingAgents } from './acting-agents.js';
import { message, recordsOf } from './service-with-model.js';

const {
  fixture,
  shop,
  orders,
  headers,
  newOrdersAgent,
  newServerAgent,
  newRefundAgent,
  scriptModel,
  results,
  as,
  lastRequest,
} = useActingAgents();

const ofAda = { body: { message: 'My orders?', context: { user_id: 'ada' } } };
const callOf = ({ name }: { name: string }, call: Partial<Call> = ofAda): Call =>
  message(name, 'My orders?', call);
const ordersCall = (args: object | string = {}) => ({ name: 'orders', arguments: args });

/** What a model could send to read the orders of somebody else. */
const hostile: (object | string)[] = [
  { customer: 'eve' },
  { customer: ['eve'], limit: 1_000 },
  { Customer: 'eve', CUSTOMER: 'eve' },
  { 'customer[]': 'eve', 'customer[0]': 'eve', 'customer.id': 'eve', ' customer': 'eve' },
  { 'customer=eve&x': 'eve', 'customer&': 'eve' },
  '{"customer":"eve","customer":"eve"}',
  '{"constructor":{"customer":"eve"},"toString":"eve"}',
  { arguments: { customer: 'eve' }, url: 'https://eve.example/', headers: { 'X-User': 'eve' } },
];

describe('a model that asks for the orders of somebody else', () => {
  const fixed = {
    arguments: { customer: '${context.user_id}', limit: 20, 'is.paid': true, shop: 'acme' },
  };

  test.each(hostile)('does not change a JSON body with %j', async (args) => {
    const agent = await newOrdersAgent(fixed);
    scriptModel([ordersCall(args)], 'These.');
    await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent));
    const { body, query } = lastRequest();
    expect(JSON.parse(body)).toEqual({ customer: 'ada', limit: 20, 'is.paid': true, shop: 'acme' });
    expect([body, query].join()).not.toContain('eve');
  });

  test.each(hostile)('does not change a query with %j', async (args) => {
    const agent = await newOrdersAgent({ ...fixed, method: 'GET' });
    scriptModel([ordersCall(args)], 'These.');
    await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent));
    const { query, body } = lastRequest();
    expect(query).toEqual([
      ['customer', 'ada'],
      ['is.paid', 'true'],
      ['limit', '20'],
      ['shop', 'acme'],
    ]);
    expect(body).toBe('');
  });

  test.each(hostile)('does not change a path with %j', async (args) => {
    const agent = await newOrdersAgent({
      method: 'GET',
      url: `${shop.url}/customers/{customer}/orders`,
      arguments: { customer: '${context.user_id}' },
    });
    scriptModel([ordersCall(args)], 'These.');
    await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent));
    expect(lastRequest()).toMatchObject({ path: '/customers/ada/orders', query: [] });
  });

  test('calls nothing with a prototype', async () => {
    const agent = await newOrdersAgent(fixed);
    scriptModel([ordersCall('{"__proto__":{"customer":"eve"}}')], 'Sorry.');
    await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent));
    expect(results()).toEqual([expect.stringContaining('must be a JSON object')]);
    expect(shop.received).toEqual([]);
  });

  test('may still send what is declared, beside what is fixed', async () => {
    const agent = await newOrdersAgent({ ...fixed, method: 'GET' });
    scriptModel([ordersCall({ status: 'paid&customer=eve' })], 'These.');
    await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent));
    const { query } = lastRequest();
    expect(query).toContainEqual(['status', 'paid&customer=eve']);
    expect(query.filter(([name]) => name === 'customer')).toEqual([['customer', 'ada']]);
  });

  test('does not see what is fixed, and nobody reads it in the log', async () => {
    const agent = await newRefundAgent(
      {},
      {
        http: [
          {
            name: 'orders',
            description: 'The orders of the customer.',
            url: `${shop.url}/orders`,
            parameters: { type: 'object', properties: {} },
            arguments: { customer: '${context.customer}', channel: 'assistant' },
          },
        ],
        log: 'arguments',
      },
    );
    shop.respond = () => [200, '[]'];
    scriptModel([ordersCall({ mine: 1 })], 'None.');
    const body = { message: 'My orders?', context: { customer: 'customer-4711' } };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent, { body }));
    const { logs } = await recordsOf(fixture.service, data.request_id);
    const seen = JSON.stringify([fixture.provider.received.map((request) => request.body), logs]);
    expect(seen).toContain('mine');
    expect(seen).not.toMatch(/4711|channel/);
  });
});

describe('a value of the context', () => {
  test('keeps its JSON type in a body', async () => {
    const agent = await newOrdersAgent({
      arguments: { who: '${context.who}', of: '${agent.name}' },
    });
    scriptModel([ordersCall()], 'These.');
    const who = { id: 7, groups: ['a', null], isPaid: false };
    const body = { message: 'My orders?', context: { who } };
    await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent, { body }));
    expect(JSON.parse(lastRequest().body)).toEqual({ who, of: agent.name });
  });

  test('is a header, as are the ids of the request and the name of the agent', async () => {
    const agent = await newOrdersAgent({
      headers: {
        'X-User': '${context.user_id}',
        'X-Run': '${request.id}',
        'X-Agent': '${agent.name}',
      },
    });
    scriptModel([ordersCall()], 'These.');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent));
    expect(headers.at(-1)).toMatchObject({
      'x-user': 'ada',
      'x-run': data.request_id,
      'x-agent': agent.name,
    });
  });

  test('that is the user is that of the token, and no other', async () => {
    const agent = await newOrdersAgent({ arguments: { customer: '${context.user_id}' } });
    scriptModel([ordersCall()], 'These.');
    const body = { message: 'My orders?' };
    await as('ada').expect('invokeAgent', 200, { path: { agent_id: agent.id }, body });
    expect(JSON.parse(lastRequest().body)).toEqual({ customer: 'ada' });
    const asEve = { path: { agent_id: agent.id }, body: { ...body, context: { user_id: 'eve' } } };
    await as('ada').expect('invokeAgent', 400, asEve);
    expect(shop.received).toHaveLength(1);
  });

  test.each([
    ['missing', {}, 'context.customer', /^is missing: the tool 'orders' needs it$/],
    ['null', { customer: null }, 'context.customer', /^is missing/],
    ['no header', { customer: 'a\nb' }, 'context.customer', /^must be .* sends it in a header$/],
    ['spaced, like another', { customer: 'eve ' }, 'context.customer', /without spaces around/],
  ])(
    'that is %s is a 400 that names it, before anything runs',
    async (_, context, field, error) => {
      const agent = await newOrdersAgent({ headers: { 'X-Customer': '${context.customer}' } });
      const call = callOf(agent, { body: { message: 'My orders?', context } });
      for (const form of [{}, { accept: 'text/event-stream' }, asynchronous()]) {
        const refused = await fixture.tenant.api.expect('invokeAgent', 400, {
          ...call,
          headers: form,
        });
        expect(refused.error.details).toEqual([{ field, error: expect.stringMatching(error) }]);
      }
      expect(fixture.provider.received).toEqual([]);
      expect(
        await fixture.service.database.prisma.invocation.count({ where: { agentId: agent.id } }),
      ).toBe(0);
    },
  );
});

describe("the caller's token", () => {
  test('is that of a caller with a token', async () => {
    const agent = await newOrdersAgent();
    scriptModel([ordersCall()], 'These.');
    await as('ada').expect('invokeAgent', 200, {
      ...callOf(agent, ofAda),
      path: { agent_id: agent.id },
    });
    expect(lastRequest().authorization).toBe(`Bearer ${tokenOf('ada')}`);
  });

  test('is another one if the request has X-Tool-Authorization', async () => {
    const agent = await newOrdersAgent();
    scriptModel([ordersCall()], 'These.');
    const call = { ...callOf(agent), headers: toolAuthorization('DPoP x7Kq9pLm2vRt') };
    await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(lastRequest().authorization).toBe('DPoP x7Kq9pLm2vRt');
    scriptModel([ordersCall()], 'These.');
    await as('ada').expect('invokeAgent', 200, { ...call, path: { agent_id: agent.id } });
    expect(lastRequest().authorization).toBe('DPoP x7Kq9pLm2vRt');
  });

  test('is never an API key: without a token the request is a 400 that names the header', async () => {
    const agent = await newOrdersAgent();
    for (const form of [{}, asynchronous()]) {
      const call = { ...callOf(agent), headers: form };
      const { error } = await fixture.tenant.api.expect('invokeAgent', 400, call);
      expect(error.details).toEqual([
        {
          field: 'X-Tool-Authorization',
          error: expect.stringMatching(/^is missing: the tool 'orders' needs it, and the caller/),
        },
      ]);
    }
    expect(shop.received).toEqual([]);
  });

  test('that no tool would get is a 400, and nothing is stored', async () => {
    const agent = await newOrdersAgent({ headers: { 'X-User': '${context.user_id}' } });
    for (const form of [{}, asynchronous()]) {
      const call = callOf(agent, {
        ...ofAda,
        headers: { ...form, ...toolAuthorization('Bearer x7Kq9') },
      });
      const { error } = await fixture.tenant.api.expect('invokeAgent', 400, call);
      expect(error.details).toEqual([
        {
          field: 'X-Tool-Authorization',
          error: `must be left out: no tool of '${agent.name}' has \${caller.token} in its headers`,
        },
      ]);
    }
    const { prisma } = fixture.service.database;
    expect(await prisma.runStep.count({ where: { agentId: agent.id } })).toBe(0);
    expect(await prisma.invocation.count({ where: { agentId: agent.id } })).toBe(0);
  });

  test.each(['', 'Bearer ä', 'x'.repeat(8_193)])('that is %j is a 400', async (value) => {
    const agent = await newOrdersAgent();
    const call = { ...callOf(agent), headers: toolAuthorization(value) };
    const response = await fixture.tenant.api.call('invokeAgent', call);
    expect(response).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: expect.stringMatching(/x-tool-authorization/i) }] } },
    });
    expect(JSON.stringify(response.body)).not.toContain('xxxx');
  });
});

describe('an MCP server', () => {
  const lookup = { name: 'orders_lookup', arguments: { order_id: '5512' } };
  const withToken = (agent: { name: string }, value: string, context: object = {}) =>
    callOf(agent, { body: { message: 'Paid?', context }, headers: toolAuthorization(value) });

  test("gets the caller's token, and in _meta the user, the session and the request", async () => {
    const agent = await newServerAgent();
    scriptModel([lookup], 'Paid.');
    const call = withToken(agent, 'Bearer x7Kq9pLm2vRt', { user_id: 'ada', session_id: 'chat' });
    orders.authorizations.length = 0;
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(new Set(orders.authorizations)).toEqual(new Set(['Bearer x7Kq9pLm2vRt']));
    expect(orders.metadata).toEqual([
      {
        'agent-hosting/idempotency-key': `${data.request_id}.call_1`,
        'agent-hosting/request-id': data.request_id,
        'agent-hosting/user-id': 'ada',
        'agent-hosting/session-id': 'chat',
      },
    ]);
  });

  test('is listed without a token when the manifest is applied', async () => {
    await newServerAgent();
    expect(new Set(orders.authorizations)).toEqual(new Set([undefined]));
  });

  test('that refuses the token of one caller still serves the others, each with its own list', async () => {
    const agent = await newServerAgent();
    orders.refuses = 'Bearer of-mallory-66';
    const invoke = async (value: string, status: 200 | 502) => {
      scriptModel([lookup], 'Paid.');
      await fixture.tenant.api.expect('invokeAgent', status, withToken(agent, value));
    };
    const { lists } = orders;
    await invoke('Bearer of-mallory-66', 502);
    await invoke('Bearer x7Kq9pLm2vRt', 200);
    await invoke('Bearer of-mallory-66', 502);
    await invoke('Bearer x7Kq9pLm2vRt', 200);
    await invoke('Bearer of-grace-0000', 200);
    expect(orders.lists - lists).toBe(2);
    expect(orders.called).toHaveLength(3);
  });
});

test('results still show a value of the context that was sent in a header', async () => {
  const agent = await newOrdersAgent({ headers: { 'X-User': '${context.user_id}' } });
  shop.respond = () => [200, '{"customer":"customer-4711"}'];
  scriptModel([ordersCall()], 'These.');
  const body = { message: 'My orders?', context: { user_id: 'customer-4711' } };
  await fixture.tenant.api.expect('invokeAgent', 200, callOf(agent, { body }));
  expect(results()).toEqual(['{"customer":"customer-4711"}']);
});
