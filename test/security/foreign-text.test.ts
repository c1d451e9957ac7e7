/** Text from models, tools and MCP servers: no secret is passed on, and no user's words are logged. */
import { json } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { dump } from '../helpers/database/database-state.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { survivingPart } from '../helpers/text/surviving-part.js';
import { tablesContaining } from '../helpers/database/tables-containing.js';
import { bodyOf, orderTools, useToolFixtures } from '../invocations/tool-fixtures.js';
import { recordsOf } from '../invocations/service-with-model.js';
import { refusal } from '../helpers/model-provider/failures.js';

const { fixture, orders, shop, manifestOf, apply, newToolAgent, scriptModel, results } =
  useToolFixtures();

const token = 'x7Kq9pLm2vRt4wYz8bNc3hJf+/6sDg';
const header = `Bearer ${token}`;

beforeEach(() => {
  Object.assign(process.env, { ORDERS_TOKEN: header, SHOP_TOKEN: header });
});

const lookup = { name: 'orders_lookup', arguments: { order_id: '5512' } };
const refund = { name: 'refund', arguments: { order_id: '1', reason: 'x' } };

const call = (name: string, text = 'Hi.', context: object = {}): Call => ({
  path: { agent_id: name },
  body: { message: text, context },
});

const invoke = async (request: Call) => {
  const { headers } = await fixture.tenant.api.call('invokeAgent', request);
  return headers.get('x-request-id') ?? '';
};

/** The model's requests, and everything that is stored. */
const everything = async () =>
  [
    ...fixture.provider.received.map((request) => JSON.stringify(bodyOf(request))),
    await dump(fixture.service.database),
  ].join('\n');

/** The tests of `redact` try every encoding. */
const forms = {
  'the whole header': header,
  'the credentials in base64': Buffer.from(`user:${token}`).toString('base64'),
  // Error texts are truncated after 300 characters.
  'the token where the text is cut': `${'x '.repeat(140)}${token}`,
};

describe.each(Object.entries(forms))('%s reaches neither the model nor the log', (_, form) => {
  test('in the result of a tool, its error and its definition', async () => {
    const description = `Looks up an order. ${form}`;
    orders.tools = {
      ...orderTools,
      lookup: { ...orderTools.lookup, description, run: () => form },
    };
    const track = { name: 'orders_track', arguments: { order_id: '5512' } };
    orders.tools['track'] = { ...orderTools.track, run: () => Promise.reject(new Error(form)) };
    shop.respond = ({ url }) => [url?.includes('/2/') ? 403 : 200, `Got ${form} here.`];
    const refused = { name: 'refund', arguments: { order_id: '2', reason: 'x' } };
    const name = await newToolAgent();
    scriptModel([lookup, track, refund, refused], 'Done.');
    const { logs } = await recordsOf(fixture.service, await invoke(call(name)));
    expect(logs.filter(({ level }) => level === 'warn')).toHaveLength(2);
    expect(survivingPart(token, await everything())).toBeUndefined();
    expect(results()).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('[redact')));
  });

  test('in an error of an HTTP agent', async () => {
    const headers = { Authorization: '${env:SHOP_TOKEN}' };
    const endpoint = { url: fixture.provider.url, headers };
    const { id } = await fixture.tenant.newAgent({ model: 'http/own', endpoint });
    fixture.provider.behave(refusal(403, { error: { message: `Refused ${form} here.` } }));
    const { logs } = await recordsOf(fixture.service, await invoke(call(id)));
    expect(JSON.stringify(logs)).toMatch(/"said":"Refused .*\[redact/);
    expect(survivingPart(token, JSON.stringify(logs))).toBeUndefined();
  });

  test.each(['initialize', 'tools/list', 'tools/call'])('in an error of %s', async (method) => {
    const name = await newToolAgent();
    failAt(method, `Refused ${form} here.`);
    scriptModel([lookup], 'Done.');
    const { logs } = await recordsOf(fixture.service, await invoke(call(name)));
    expect(JSON.stringify(logs)).toMatch(/"said":"Refused .*\[redact/);
    expect(survivingPart(token, await everything())).toBeUndefined();
    if (method === 'tools/call') return;
    const { code, stderr } = await apply(manifestOf(name));
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be used: the server answered with an error: Refused .*\[redact/);
    expect(survivingPart(token, stderr)).toBeUndefined();
  });
});

/** An MCP server that fails one method with an error, and succeeds with those before it. */
function failAt(failing: string, message: string): void {
  const error = { code: -32_000, message };
  if (failing === 'tools/call') {
    orders.answerCalls = (id) => ({ jsonrpc: '2.0', id, error });
    return;
  }
  const result = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'orders', version: '1' },
  };
  orders.intercept = (req, res) => {
    void (async () => {
      const { id, method } = (req.method === 'POST' ? await json(req) : {}) as {
        id?: number;
        method?: string;
      };
      if (id === undefined) {
        res.writeHead(202).end();
        return;
      }
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(
        JSON.stringify({ jsonrpc: '2.0', id, ...(method === failing ? { error } : { result }) }),
      );
    })();
  };
}

test('a result that repeats its header before a million letters does not block the service', async () => {
  const name = await newToolAgent();
  const run = () => `${header} ${'a'.repeat(1_000_000)}`;
  orders.tools = { ...orderTools, lookup: { ...orderTools.lookup, run } };
  scriptModel([lookup], 'Done.');
  // A backtracking pattern takes several seconds for 40,000 letters, and hours for these.
  await invoke(call(name));
  expect(orders.called).toHaveLength(1);
});

describe("a user's words in error texts", () => {
  const echo = { error: { message: 'I do not understand "My name is Wilhelmina."' } };
  const unknown = { name: 'wilhelmina', arguments: {} };

  /** Everything that can fail: a tool, an unknown tool, and the model. */
  const failEverywhere = async (context: object) => {
    const name = await newToolAgent();
    shop.respond = () => [422, JSON.stringify(echo)];
    scriptModel([unknown, refund], 'Done.');
    await invoke(call(name, 'My name is Wilhelmina.', context));
    fixture.provider.behave(refusal(400, echo));
    return recordsOf(fixture.service, await invoke(call(name, 'My name is Wilhelmina.', context)));
  };
  const stored = () => tablesContaining(fixture.service.database, 'wilhelmina');

  test('are not stored with remember: false, and the log says what failed', async () => {
    const { logs } = await failEverywhere({ user_id: 'ada', remember: false });
    expect(await stored()).toEqual([]);
    expect(logs.at(-1)?.message).toMatch(/: the provider answered with status 400$/);
  });

  test('are erased from the log with the user', async () => {
    await failEverywhere({ user_id: 'ada' });
    expect(await stored()).toContain('log_entries');
    const { name } = await fixture.service.database.prisma.account.findUniqueOrThrow({
      where: { id: fixture.tenant.accountId },
    });
    const { code } = await operatorInProcess(fixture.service).run([
      ...['users', 'erase', 'ada', '--yes', '--account', name],
    ]);
    expect(code).toBe(0);
    expect(await stored()).toEqual([]);
  });
});
