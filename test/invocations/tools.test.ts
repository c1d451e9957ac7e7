/** Tool calls of agents in all forms of Invoke, and how they are shown and logged. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { hang } from '../helpers/model-provider/failures.js';
import type { WantedCall } from '../helpers/model-provider/reply.js';
import {
  answer,
  answerLater,
  callTools,
  chatCompletions,
} from '../helpers/model-provider/wire-formats.js';
import { bodyOf, type ModelStep, tokens, useToolFixtures } from './tool-fixtures.js';
import { streamed } from './event-reader.js';
import { recordsOnceFinished, message, recordsOf } from './service-with-model.js';

const { fixture, orders, shop, manifestOf, apply, newToolAgent, scriptModel, results } =
  useToolFixtures();

const lookup = { name: 'orders_lookup', arguments: { order_id: '5512' } };
const task: ModelStep[] = [
  [lookup],
  [
    { name: 'orders_track', arguments: { order_id: '5512' } },
    { name: 'price', arguments: { article: 'a bicycle & a bell' } },
  ],
  [{ name: 'refund', arguments: { order_id: '55/12', reason: 'It is blue.' } }],
  [lookup],
  'All done.',
];

describe('a task of five steps', () => {
  const expectDone = () => {
    expect(orders.called.map(({ name }) => name)).toEqual(['lookup', 'track', 'lookup']);
    expect(shop.received).toEqual([
      {
        method: 'GET',
        url: '/prices?article=a+bicycle+%26+a+bell',
        authorization: undefined,
        body: '',
      },
      {
        method: 'POST',
        url: '/orders/55%2F12/refund',
        authorization: tokens.SHOP_TOKEN,
        body: '{"reason":"It is blue."}',
      },
    ]);
    expect(results()).toEqual([
      'Order 5512: one bicycle, paid.',
      'In Ghent since this morning.',
      '{"refunded":true,"body":""}',
      '{"refunded":true,"body":"{\\"reason\\":\\"It is blue.\\"}"}',
      'Order 5512: one bicycle, paid.',
    ]);
  };

  test('in one response, with the tokens of all steps', async () => {
    const name = await newToolAgent();
    scriptModel(...task);
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      message(name, 'Refund it.'),
    );
    expect(data).toMatchObject({ response: 'All done.', tokens_used: 4 * 12 + 6 });
    expectDone();
    expect(orders.authorizations).toContain(tokens.ORDERS_TOKEN);
    const { logs } = await recordsOf(fixture.service, data.request_id);
    const calls = logs.filter(({ message: said }) => said.startsWith('Tool'));
    const texts = calls.map(({ message: said }) => said.replace(/after \d+ ms/, 'in time'));
    expect([...texts.slice(0, 4), ...texts.slice(4, 6).toSorted(), ...texts.slice(6)]).toEqual([
      'Tool orders_lookup called',
      'Tool orders_lookup succeeded in time',
      'Tool orders_track called',
      'Tool price called',
      'Tool orders_track succeeded in time',
      'Tool price succeeded in time',
      'Tool refund called',
      'Tool refund succeeded in time',
      'Tool orders_lookup called',
      'Tool orders_lookup succeeded in time',
    ]);
    expect(calls[0]).toEqual({
      level: 'info',
      message: 'Tool orders_lookup called',
      metadata: { tool: 'orders_lookup', call_id: 'call_1' },
    });
    expect(calls[1]).toEqual({
      level: 'info',
      message: expect.stringMatching(/^Tool orders_lookup succeeded after \d+ ms$/),
      metadata: {
        tool: 'orders_lookup',
        call_id: 'call_1',
        outcome: 'succeeded',
        duration_ms: expect.any(Number),
        result_bytes: 30,
      },
    });
    const steps = logs.filter(({ level }) => level === 'debug');
    expect(steps.map(({ message: said, metadata }) => [said, metadata])).toEqual([
      ['Model called again: 1 tool has answered', { call: 2 }],
      ['Model called again: 2 tools have answered', { call: 3 }],
      ['Model called again: 1 tool has answered', { call: 4 }],
      ['Model called again: 1 tool has answered', { call: 5 }],
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/blue|4711|0815/);
  });

  test('streamed, with an event when a call starts and when it ends', async () => {
    const name = await newToolAgent();
    scriptModel(...task);
    const { events } = await streamed(
      fixture.service.url,
      fixture.tenant.key,
      message(name, 'Refund it.'),
    );
    expectDone();
    const told = events.flatMap(({ event, data }) =>
      event === 'tool' ? [`${data.call_id} ${data.name} ${data.status}`] : [event],
    );
    expect(told.slice(0, 2)).toEqual([
      'call_1 orders_lookup started',
      'call_1 orders_lookup succeeded',
    ]);
    expect(told.slice(2, 6).toSorted()).toEqual([
      'call_2 orders_track started',
      'call_2 orders_track succeeded',
      'call_3 price started',
      'call_3 price succeeded',
    ]);
    expect(told.slice(-3)).toEqual(['call_5 orders_lookup succeeded', 'delta', 'done']);
  });

  test('asynchronous', async () => {
    const name = await newToolAgent();
    scriptModel(...task);
    const call = message(name, 'Refund it.', { headers: { prefer: 'respond-async' } });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    const { invocation, memory } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation?.status).toBe('succeeded');
    expect(memory.at(-1)?.content).toBe('All done.');
    expectDone();
  });

  test('tells each server which call it is, so that it can recognise a repeat', async () => {
    const name = await newToolAgent();
    scriptModel(...task);
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      message(name, 'Refund it.'),
    );
    const keys = [1, 2, 3, 4, 5].map((call) => `${data.request_id}.call_${call}`);
    expect(orders.metadata).toEqual(
      [keys[0], keys[1], keys[4]].map((key) => ({
        'agent-hosting/idempotency-key': key,
        'agent-hosting/request-id': data.request_id,
      })),
    );
    expect(shop.keys).toEqual([keys[2], keys[3]]);
  });

  test('ends its sessions with the servers', async () => {
    const name = await newToolAgent();
    scriptModel(...task);
    await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Refund it.'));
    await eventually(() => {
      expect(orders.openSessions()).toBe(0);
    });
  });
});

describe("the model's text between its calls", () => {
  test('is part of the response, as separate paragraphs', async () => {
    const name = await newToolAgent();
    fixture.provider.behave(
      callTools([lookup], ['Let me see.']),
      answer(chatCompletions, ['It is ', 'paid.']),
    );
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Paid?'));
    expect(data.response).toBe('Let me see.\n\nIt is paid.');
  });

  test('is remembered as one message, without the tool results', async () => {
    const name = await newToolAgent();
    scriptModel([lookup], 'It is paid.');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Paid?'));
    const { memory } = await recordsOf(fixture.service, data.request_id);
    expect(memory.map(({ content }) => content)).toEqual(['Paid?', 'It is paid.']);
  });
});

describe('the model', () => {
  test('must answer in the last step, in which it gets no tools', async () => {
    const name = await newToolAgent({ maxSteps: 2 });
    scriptModel([lookup], 'That is all I know.');
    await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Paid?'));
    expect(fixture.provider.received.map((request) => bodyOf(request)['tool_choice'])).toEqual([
      'auto',
      'none',
    ]);
  });

  test('that never stops calling tools is made to answer', async () => {
    const name = await newToolAgent({ maxSteps: 3 });
    scriptModel([lookup]);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Paid?'));
    expect(data).toMatchObject({ response: '', finish_reason: 'steps' });
    expect(orders.called).toHaveLength(2);
    const { logs } = await recordsOf(fixture.service, data.request_id);
    const warnings = logs.filter(({ level }) => level === 'warn').map(({ message: said }) => said);
    expect(warnings).toEqual([
      '1 tool call was not made: the model had to answer',
      'The model had to answer after 3 calls, the limit of tools.maxSteps',
    ]);
  });

  test.each<[string, WantedCall, RegExp]>([
    [
      'an unknown tool',
      { name: 'orders_delete', arguments: {} },
      /There is no tool 'orders_delete'/,
    ],
    [
      'invalid arguments',
      { name: 'refund', arguments: { order_id: 5 } },
      /do not fit its schema: it must have required property 'reason'/,
    ],
    [
      'invalid arguments for an MCP tool',
      { name: 'orders_lookup', arguments: { order_id: ['5'] } },
      /do not fit its schema: \/order_id must be string/,
    ],
    [
      'arguments that are not JSON',
      { name: 'refund', arguments: '{"order_id": ' },
      /must be a JSON object/,
    ],
    [
      'dots in a path parameter',
      { name: 'refund', arguments: { order_id: '..', reason: '' } },
      /must not be '\.' or '\.\.'/,
    ],
    [
      'an empty path parameter',
      { name: 'refund', arguments: { order_id: '', reason: '' } },
      /must not be empty/,
    ],
  ])('is told about %s, and no tool is called', async (_, call, told) => {
    const name = await newToolAgent();
    scriptModel([call], 'Sorry.');
    await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Do it.'));
    expect(results()).toEqual([expect.stringMatching(told)]);
    expect(orders.called).toEqual([]);
    expect(shop.received).toEqual([]);
  });

  test('is retried after a failure without repeating its tool calls', async () => {
    const name = await newToolAgent();
    fixture.provider.behave(
      callTools([{ name: 'refund', arguments: { order_id: '1', reason: 'x' } }]),
      (res) => void res.writeHead(503).end(),
      answer(chatCompletions, ['Done.']),
    );
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Refund.'));
    expect(data.response).toBe('Done.');
    expect(shop.received).toHaveLength(1);
  });
});

describe('the log of arguments', () => {
  test('is written if the manifest asks for it', async () => {
    const name = await newToolAgent({ log: 'arguments' });
    scriptModel([lookup], 'Paid.');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Paid?'));
    const { logs } = await recordsOf(fixture.service, data.request_id);
    expect(logs.map(({ metadata }) => metadata)).toContainEqual(
      expect.objectContaining({ arguments: '{"order_id":"5512"}' }),
    );
  });
});

test('an asynchronous invocation whose worker dies after a tool was called goes on with its result', async () => {
  const { service, tenant, provider } = fixture;
  const name = await newToolAgent();
  const held = answerLater(chatCompletions, ['Too late.']);
  provider.behave(
    callTools([{ name: 'price', arguments: { article: 'bell' } }]),
    held.reply,
    answer(chatCompletions, ['Ten euros.']),
  );
  const call = message(name, 'How much?', { headers: { prefer: 'respond-async' } });
  const { data } = await tenant.api.expect('invokeAgent', 202, call);
  await provider.asked(2);
  await eventually(async () => {
    const { logs } = await recordsOf(service, data.request_id);
    expect(logs.map(({ message: text }) => text)).toContainEqual(
      expect.stringMatching(/^Tool price succeeded/),
    );
  });
  await service.database.prisma.invocation.updateMany({
    where: { id: data.request_id },
    data: { leaseOwner: 'a worker that died', availableAt: new Date(0) },
  });
  const { invocation, logs, memory } = await recordsOnceFinished(service, data.request_id);
  held.finish();
  expect(invocation).toMatchObject({ status: 'succeeded', errorCode: null });
  expect(memory.map(({ content }) => content)).toEqual(['How much?', 'Ten euros.']);
  expect(logs.filter(({ message: text }) => text.startsWith('Tool price'))).toHaveLength(2);
  expect(results()).toEqual([expect.stringContaining('"refunded":true')]);
  expect(shop.received).toHaveLength(1);
  expect(provider.received).toHaveLength(3);
});

test('an asynchronous invocation that has called a tool and whose steps are gone fails without a model call', async () => {
  const { service, tenant, provider } = fixture;
  const name = await newToolAgent();
  provider.behave(hang);
  const call = message(name, 'How much?', { headers: { prefer: 'respond-async' } });
  const { data } = await tenant.api.expect('invokeAgent', 202, call);
  await provider.asked(1);
  await service.database.prisma.invocation.updateMany({
    where: { id: data.request_id },
    data: { hasActed: true, leaseOwner: 'a worker that died', availableAt: new Date(0) },
  });
  const { invocation, logs } = await recordsOnceFinished(service, data.request_id);
  expect(invocation).toMatchObject({ status: 'failed', errorCode: 'unavailable' });
  expect(logs.at(-1)?.message).toMatch(/interrupted after a tool had been called/);
});

test('a budget that is used up between two steps ends the invocation there', async () => {
  const budget = { tokens: 5, window: '1d' };
  expect(await apply({ ...manifestOf('thrifty'), budget })).toMatchObject({ code: 0 });
  scriptModel([lookup], 'Paid.');
  const reply = await fixture.tenant.api.call('invokeAgent', message('thrifty', 'Paid?'));
  expect(reply).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(fixture.provider.received).toHaveLength(1);
  expect(orders.called).toHaveLength(1);
});
