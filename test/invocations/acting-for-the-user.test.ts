/** Tools act for the user of the request, whatever the model says: fixed arguments, and headers with the caller's token. */
import { describe, expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { asynchronous, tokenOf, toolAuthorization, useActingAgents } from './acting-agents.js';
import { ask, resume, said } from './careful-agents.js';
import { message, recordsOf, recordsOnceFinished } from './service-with-model.js';
import { answerLater, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const {
  fixture,
  shop,
  orders,
  headers,
  newOrdersAgent,
  newServerAgent,
  changeTool,
  newRefundAgent,
  scriptModel,
  results,
  as,
  lastRequest,
  stepsOf,
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

describe('an asynchronous invocation', () => {
  const accept = async (agent: { name: string }, context: object, more: Record<string, string>) => {
    const body = { message: 'My orders?', context };
    const call = callOf(agent, { body, headers: { ...asynchronous(), ...more } });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    return { id: data.request_id, call };
  };

  test('calls its tools with the token that it was accepted with, and keeps nothing of it', async () => {
    const agent = await newOrdersAgent();
    scriptModel([ordersCall()], 'These.');
    const { id } = await accept(agent, {}, toolAuthorization('Bearer x7Kq9pLm2vRt'));
    const { invocation, logs } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'succeeded' });
    expect(lastRequest().authorization).toBe('Bearer x7Kq9pLm2vRt');
    expect(await stepsOf(id)).toBe(0);
    expect(logs.map((entry) => entry.message).join()).not.toContain('Goes on');
  });

  test('that fails before it acts says nothing of tools that were called', async () => {
    const agent = await newOrdersAgent();
    fixture.provider.behave((res) => void res.writeHead(400).end('{"error":{"message":"No."}}'));
    const { id, call } = await accept(agent, {}, toolAuthorization('Bearer x7Kq9pLm2vRt'));
    const { logs, invocation } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'failed', tokensUsed: null });
    expect(logs).toHaveLength(1);
    const { error } = await fixture.tenant.api.expect('invokeAgent', 502, call);
    expect(error.message).not.toContain('had called tools');
    expect(await stepsOf(id)).toBe(0);
  });

  test('that is cancelled while it waits leaves nothing', async () => {
    const agent = await newOrdersAgent();
    fixture.provider.behave(() => undefined);
    const { id, call } = await accept(agent, {}, toolAuthorization('Bearer x7Kq9pLm2vRt'));
    expect(await stepsOf(id)).toBe(1);
    const cancel = { ...call, headers: { ...call.headers, prefer: 'cancel' } };
    await fixture.tenant.api.expect('invokeAgent', 202, cancel);
    expect(await stepsOf(id)).toBe(0);
  });

  test('whose agent was changed to need more fails with what it lacks', async () => {
    const agent = await newOrdersAgent({});
    const session = { user_id: 'ada', session_id: 'of-two' };
    const held = answerLater(chatCompletions, ['First.']);
    fixture.provider.behave(held.reply);
    await accept(agent, session, {});
    await fixture.provider.asked(1);
    // Waits for the first of its session.
    const { id, call } = await accept(agent, session, {});
    await changeTool(agent, { arguments: { customer: '${context.customer}' } });
    held.finish();
    const { invocation } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'invalid_request' });
    const { error } = await fixture.tenant.api.expect('invokeAgent', 400, call);
    expect(error.message).toContain("context.customer is missing: the tool 'orders' needs it");
  });
});

describe('an approval', () => {
  const needsApproval = {
    approval: 'caller',
    arguments: { customer: '${context.customer}', run: '${request.id}' },
    headers: { Authorization: '${caller.token}' },
  };
  const pause = async () => {
    const agent = await newOrdersAgent(needsApproval);
    fixture.provider.behave(
      callTools([ordersCall({ status: 'open', customer: 'eve' })]),
      said('Done.'),
    );
    const call = {
      ...ask(agent, { user_id: 'ada', customer: 'ada-1' }),
      headers: toolAuthorization('Bearer of-the-asker-1'),
    };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    return { agent, paused: data };
  };

  test('shows the fixed arguments, which another context does not change', async () => {
    const { agent, paused } = await pause();
    const shown = paused.approvals?.[0]?.arguments;
    expect(shown).toEqual({ status: 'open', customer: 'ada-1', run: paused.request_id });
    expect(await stepsOf(paused.request_id)).toBeGreaterThan(0);
    const context = { customer: 'eve', user_id: 'ada' };
    const decided = resume(agent, paused.request_id, { context });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, decided);
    expect(JSON.parse(lastRequest().body)).toEqual(shown);
    expect(lastRequest().authorization).toBe('Bearer of-the-asker-1');
    expect(await stepsOf(paused.request_id)).toBe(0);
    expect(await stepsOf(data.request_id)).toBe(0);
  });

  test.each([
    ['at once', {}],
    ['asynchronously', { prefer: 'respond-async' }],
  ])('may bring a fresh token, %s', async (_, how) => {
    const { agent, paused } = await pause();
    const more = { ...how, ...toolAuthorization('Bearer of-the-approver-2') };
    const decided = resume(agent, paused.request_id, { headers: more });
    const { body, headers: sent } = await fixture.tenant.api.call('invokeAgent', decided);
    expect(body).toMatchObject({ success: true });
    const id = sent.get('x-request-id') ?? '';
    await recordsOnceFinished(fixture.service, id);
    expect(lastRequest().authorization).toBe('Bearer of-the-approver-2');
    expect(JSON.parse(lastRequest().body)).toMatchObject({ customer: 'ada-1' });
    expect(await stepsOf(id)).toBe(0);
  });

  test('by the user with a token uses that token', async () => {
    const { agent, paused } = await pause();
    const decided = { ...resume(agent, paused.request_id), path: { agent_id: agent.id } };
    await as('ada').expect('invokeAgent', 200, decided);
    expect(lastRequest().authorization).toBe(`Bearer ${tokenOf('ada')}`);
  });

  test('with a token that no tool gets is a 400, and decides nothing', async () => {
    const agent = await newOrdersAgent({ approval: 'caller' });
    fixture.provider.behave(callTools([ordersCall()]), said('Done.'));
    const { data: paused } = await fixture.tenant.api.expect('invokeAgent', 200, ask(agent));
    const more = { headers: toolAuthorization('Bearer x7Kq9pLm2vRt') };
    await fixture.tenant.api.expect('invokeAgent', 400, resume(agent, paused.request_id, more));
    expect(shop.received).toEqual([]);
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    expect(shop.received).toHaveLength(1);
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
