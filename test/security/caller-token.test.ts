/** The token with which tools act for a caller reaches those tools, and nothing else, whatever a tool makes of it. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { dump } from '../helpers/database/database-state.js';
import { tablesContaining } from '../helpers/database/tables-containing.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { survivingPart } from '../helpers/text/surviving-part.js';
import {
  asynchronous,
  keyed,
  tokenOf,
  toolAuthorization,
  useActingAgents,
} from '../invocations/acting-agents.js';
import { ask, resume, said } from '../invocations/careful-agents.js';
import { streamed } from '../invocations/event-reader.js';
import { message, recordsOf, recordsOnceFinished } from '../invocations/service-with-model.js';
import { bodyOf, orderTools } from '../invocations/tool-fixtures.js';
import { answerLater, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { operatorInProcess } from '../helpers/service/operator.js';

const {
  fixture,
  shop,
  orders,
  ordersTool,
  newOrdersAgent,
  newRefundAgent,
  newServerAgent,
  results,
  stepsOf,
  accountName,
  scriptModel,
} = useActingAgents({ LOG_LEVEL: 'trace' });

const part = (text: string, outputLength: number) =>
  createHash('shake256', { outputLength }).update(text).digest('base64url');
// Has no six digits of a hexadecimal number in a row, which occur in whatever is encrypted.
const [payload, signature] = [part('payload 1', 120), part('signature 1', 32)];
const token = `eyJhbGciOiJSUzI1NiJ9.${payload}.${signature}`;
const header = `Bearer ${token}`;

const inBase64 = (text: string) => Buffer.from(text).toString('base64');
const escaped = (text: string, prefix: string, digits: number) =>
  text.replaceAll(/./g, (c) => `${prefix}${c.charCodeAt(0).toString(16).padStart(digits, '0')}`);

const forms: Record<string, string> = {
  'as it is': header,
  'without its scheme': token,
  'its payload': payload,
  'its signature': signature,
  'in upper case': token.toUpperCase(),
  'in base64': inBase64(token),
  'in base64 with its scheme': inBase64(header),
  'in base64 after one character': inBase64(`:${header}`),
  'in base64 after two characters': inBase64(`a:${token}`),
  'in base64 for URLs': Buffer.from(`~${token}~`).toString('base64url'),
  'as a JSON text': JSON.stringify({ token: header }),
  'in JSON escapes': escaped(token, '\\u', 4),
  'percent-encoded': encodeURIComponent(header),
  'percent-encoded as a whole': escaped(token, '%', 2),
  'in hexadecimal digits': Buffer.from(token).toString('hex'),
  'in lines of 76 characters': token.replaceAll(/.{76}/g, '$&\n'),
  'at the end of a long text': `${'x '.repeat(40_000)}${token}`,
  'where an error text is cut': `${'x '.repeat(140)}${token}`,
};
const texts = Object.values(forms);

const call = (agent: { name: string }, more: Partial<Call> = {}): Call =>
  message(agent.name, 'My orders?', {
    ...more,
    headers: { ...toolAuthorization(header), ...more.headers },
  });

/** Whatever the model received, the service logged and the database has. */
const everything = async () =>
  [
    ...fixture.provider.received.map((request) => JSON.stringify(bodyOf(request))),
    ...fixture.service.log,
    await dump(fixture.service.database),
  ].join('\n');

const expectNoTrace = async (...more: unknown[]) => {
  const all = [...more.map((one) => JSON.stringify(one)), await everything()].join('\n');
  expect(survivingPart(token, all)).toBeUndefined();
  expect(await tablesContaining(fixture.service.database, token)).toEqual([]);
  expect(await fixture.service.database.prisma.runStep.count()).toBe(0);
};

const called = (tool: string) =>
  texts.map((_, index) => ({ name: tool, arguments: { status: String(index) } }));

/** The form that a call asks for. */
const formOf = (body: string) =>
  texts[Number((JSON.parse(body) as { status: string }).status)] ?? '';

describe('an HTTP tool that repeats the token in every encoding', () => {
  test.each<[string, (form: string) => ReturnType<typeof shop.respond>]>([
    ['in its results', (form) => [200, form]],
    ['in its errors', (form) => [500, JSON.stringify({ error: { message: form } })]],
    ['in errors that are not JSON', (form) => [403, `<p>${form}</p>`]],
    ['in its headers', (form) => [200, '\0', headersWith(form)]],
    ['in the headers of a redirect', (form) => [302, '', headersWith(form)]],
  ])('%s leaves no trace of it', async (_, answer) => {
    const agent = await newOrdersAgent(undefined, { recall: true });
    await insertWebhook(fixture.service.database, fixture.tenant.accountId, agent.id);
    shop.respond = (_request, body) => answer(formOf(body));
    scriptModel(called('orders'), 'I said it.', 'Again.');
    const session = {
      body: { message: 'My orders?', context: { session_id: 's', user_id: 'ada' } },
    };
    const asked = call(agent, { ...session, headers: keyed() });
    const { events } = await streamed(fixture.service.url, fixture.tenant.key, asked);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { response: 'I said it.' } });
    expect(results()).toHaveLength(texts.length);
    expect(shop.received.every(({ authorization }) => authorization === header)).toBe(true);
    const repeated = await fixture.tenant.api.expect('invokeAgent', 200, asked);
    const later = await fixture.tenant.api.expect('invokeAgent', 200, call(agent, session));
    await expectNoTrace(events, repeated, later, results());
  });

  test('does so neither through a tool that never got it', async () => {
    const gossip = { ...ordersTool(), name: 'gossip' };
    const acting = ordersTool({ headers: { Authorization: '${caller.token}' } });
    const agent = await newRefundAgent({}, { http: [acting, gossip] });
    shop.respond = (_request, body) => [200, formOf(body)];
    scriptModel(called('gossip'), 'I said it.');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call(agent));
    expect(shop.received[0]?.authorization).toBeUndefined();
    await expectNoTrace(data, results());
  });

  test('nor if it is the own token of the caller', async () => {
    const agent = await newOrdersAgent();
    shop.respond = ({ headers }) => [200, JSON.stringify(headers)];
    scriptModel([{ name: 'orders', arguments: {} }], 'I said it.');
    const api = fixture.service.api(tokenOf('ada'));
    const asked = { path: { agent_id: agent.id }, body: { message: 'My orders?' } };
    await api.expect('invokeAgent', 200, asked);
    expect(shop.received[0]?.authorization).toBe(`Bearer ${tokenOf('ada')}`);
    const all = [...results(), await everything()].join('\n');
    const [, claims = '', proof = ''] = tokenOf('ada').split('.');
    expect([survivingPart(claims, all), survivingPart(proof, all)]).toEqual([undefined, undefined]);
  });
});

/** A header cannot have every text. */
const headersWith = (form: string) => {
  const text = form.replaceAll('\n', ' ').slice(-4_000);
  return { 'content-type': text, location: text, 'x-echo': text };
};

describe('an MCP server that repeats the token in every encoding', () => {
  const lookups = texts.map((_, index) => ({
    name: 'orders_lookup',
    arguments: { order_id: String(index) },
  }));

  test.each([
    ['in its results', (form: string) => form],
    ['in the failures of its tools', (form: string) => Promise.reject(new Error(form))],
  ])('%s leaves no trace of it', async (_, run) => {
    const agent = await newServerAgent();
    orders.tools = {
      ...orderTools,
      lookup: { ...orderTools.lookup, run: ({ order_id }) => run(texts[Number(order_id)] ?? '') },
    };
    scriptModel(lookups, 'I said it.');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call(agent));
    expect(orders.called).toHaveLength(texts.length);
    await expectNoTrace(data, results());
  });

  test.each(['answerCalls', 'answerLists'] as const)(
    'in a protocol error (%s) leaves none',
    async (where) => {
      const agent = await newServerAgent();
      orders[where] = (id) => ({
        jsonrpc: '2.0',
        id,
        error: { code: -32_000, message: texts.slice(0, 9).join(' ') },
      });
      scriptModel(lookups.slice(0, 1), 'I said it.');
      const answered = await fixture.tenant.api.call('invokeAgent', call(agent));
      expect(answered.status).toBe(where === 'answerCalls' ? 200 : 502);
      const { logs } = await recordsOf(fixture.service, answered.headers.get('x-request-id') ?? '');
      expect(JSON.stringify(logs)).toContain('[redacted]');
      await expectNoTrace(answered.body, logs);
    },
  );

  test('in the definition of a tool leaves none', async () => {
    const agent = await newServerAgent();
    const description = texts.slice(0, 9).join(' ');
    orders.tools = { ...orderTools, lookup: { ...orderTools.lookup, description } };
    scriptModel('I said it.');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call(agent));
    await expectNoTrace(data);
  });
});

test('while an approval is pending it is encrypted, and gone when the run has ended', async () => {
  const agent = await newOrdersAgent({
    approval: 'caller',
    headers: { Authorization: '${caller.token}' },
  });
  fixture.provider.behave(callTools([{ name: 'orders', arguments: {} }]), said('Done.'));
  const asked = { ...ask(agent), headers: { ...toolAuthorization(header), ...keyed() } };
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, asked);
  expect(await fixture.service.database.prisma.runStep.count()).toBeGreaterThan(0);
  expect(
    survivingPart(token, [JSON.stringify(data), await everything()].join('\n')),
  ).toBeUndefined();
  expect(await tablesContaining(fixture.service.database, token)).toEqual([]);
  await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, data.request_id));
  expect(shop.received[0]?.authorization).toBe(header);
  await expectNoTrace();
});

test('while an asynchronous invocation runs it is encrypted, and gone when that has ended or its user is erased', async () => {
  const agent = await newOrdersAgent();
  const accept = async () => {
    const held = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(held.reply);
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      202,
      call(agent, {
        body: { message: 'My orders?', context: { user_id: 'ada' } },
        headers: asynchronous(),
      }),
    );
    expect(await stepsOf(data.request_id)).toBe(1);
    expect(survivingPart(token, await everything())).toBeUndefined();
    expect(await tablesContaining(fixture.service.database, token)).toEqual([]);
    return { id: data.request_id, ...held };
  };
  const first = await accept();
  first.finish();
  await recordsOnceFinished(fixture.service, first.id);
  await expectNoTrace();

  const second = await accept();
  const operator = operatorInProcess(fixture.service);
  const erase = ['--account', await accountName(), 'users', 'erase', 'ada', '--yes'];
  expect(await operator.run(erase)).toMatchObject({ code: 0 });
  await expectNoTrace();
  second.finish();
});

test('a tool that fails to be called does not say what would have been sent', async () => {
  const agent = await newOrdersAgent({
    url: 'http://127.0.0.1:1/orders',
    headers: { Authorization: '${caller.token}' },
  });
  scriptModel([{ name: 'orders', arguments: {} }], 'Sorry.');
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call(agent));
  expect(results()).toEqual(['the connection failed (ECONNREFUSED)']);
  await expectNoTrace(data);
});
