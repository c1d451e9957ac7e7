/** Streams whose model has not said anything yet: they have headers and pings, so that no proxy or client gives up. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { changeAgent } from '../../server/agents/agents.js';
import { eventually } from '../helpers/eventually.js';
import type { Call } from '../helpers/service/api.js';
import { hang } from '../helpers/model-provider/failures.js';
import { answer, answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { eventsOf, openStream } from './event-reader.js';
import { message, messageIn, useServiceWithModel } from './service-with-model.js';
import { keyed } from './stream-client.js';

const fixture = useServiceWithModel();
const pingEveryMs = 15_000;

beforeEach(() => {
  // Only intervals are replaced: pings are sent when a test says that time has passed.
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'performance',
      'hrtime',
      'nextTick',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
});

afterEach(() => {
  jest.useRealTimers();
});

const open = (call: Call, connection = new AbortController()) =>
  openStream(fixture.service.url, fixture.tenant.key, { ...call, signal: connection.signal });

/** What arrives next, after the time has passed. */
async function receivedAfter(ms: number, body: ReadableStreamDefaultReader<Uint8Array>) {
  jest.advanceTimersByTime(ms);
  const { value } = await body.read();
  return Buffer.from(value ?? []).toString();
}

function bodyOf({ status, headers, body }: Response): ReadableStreamDefaultReader<Uint8Array> {
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('x-accel-buffering')).toBe('no');
  if (!body) throw new Error('The answer has no body.');
  return body.getReader();
}

describe('headers are sent at once, and a ping every 15 seconds', () => {
  test.each([
    ['without a key', (id: string) => message(id, 'Hi')],
    ['with an Idempotency-Key', (id: string) => keyed(id)],
  ])('while the model thinks, %s', async (_, callTo) => {
    fixture.provider.behave(hang);
    const { id } = await fixture.newAgent();
    const client = new AbortController();
    const body = bodyOf(await open(callTo(id), client));
    for (let pings = 0; pings < 3; pings += 1) {
      expect(await receivedAfter(pingEveryMs, body)).toBe(': ping\n\n');
    }
    client.abort();
  });

  test('while another message of the session has its turn', async () => {
    const first = answerLater(chatCompletions, ['First.']);
    fixture.provider.behave(first.reply, answer(chatCompletions, ['Second.']));
    const { id } = await fixture.newAgent();
    const asking = fixture.tenant.api.call('invokeAgent', messageIn('chat', id, 'One'));
    await fixture.provider.asked(1);
    const body = bodyOf(await open(messageIn('chat', id, 'Two')));
    expect(await receivedAfter(pingEveryMs, body)).toBe(': ping\n\n');
    expect(fixture.provider.received).toHaveLength(1);
    first.finish();
    await asking;
    expect(await receivedAfter(0, body)).toContain('Second.');
    await body.cancel();
  });

  test('to a repeat that follows the stream, and to one that resumes it', async () => {
    fixture.provider.behave(hang);
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const clients = [0, 1, 2].map(() => new AbortController());
    const [first, second, third] = clients;
    bodyOf(await open(call, first));
    await fixture.provider.asked(1);
    const following = bodyOf(await open(call, second));
    expect(await receivedAfter(pingEveryMs, following)).toBe(': ping\n\n');
    const fromStart = { ...call, headers: { ...call.headers, 'last-event-id': '0' } };
    const resuming = bodyOf(await open(fromStart, third));
    expect(await receivedAfter(pingEveryMs, resuming)).toBe(': ping\n\n');
    clients.forEach((client) => {
      client.abort();
    });
  });
});

test('a client that leaves while the model thinks stops the model call', async () => {
  fixture.provider.behave(hang);
  const { id } = await fixture.newAgent();
  const client = new AbortController();
  bodyOf(await open(message(id, 'Hi'), client));
  await fixture.provider.asked(1);
  client.abort();
  await fixture.provider.received[0]?.closed;
  expect(fixture.provider.received[0]?.wasAborted()).toBe(true);
});

test('pings do not come between the events that a client reads', async () => {
  const later = answerLater(chatCompletions, ['On ', 'its way.']);
  fixture.provider.behave(later.reply);
  const { id } = await fixture.newAgent();
  const events = eventsOf(await open(message(id, 'Hi')));
  jest.advanceTimersByTime(4 * pingEveryMs);
  later.finish();
  const names = [];
  for await (const { event } of events) names.push(event);
  expect(names.filter((name) => name !== 'delta')).toEqual(['done']);
});

describe('a request that is rejected has no stream, but an ordinary error response', () => {
  const refused = async (call: Call, status: number) => {
    const headers = { accept: 'text/event-stream', ...call.headers };
    const reply = await fixture.tenant.api.call('invokeAgent', { ...call, headers });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ success: false });
  };

  test('400 for an invalid message', async () => {
    const { id } = await fixture.newAgent();
    await refused(message(id, ''), 400);
  });

  test('404 for an unknown agent', async () => {
    await refused(message('missing', 'Hi'), 404);
  });

  test('409 for a stopped agent', async () => {
    const { id } = await fixture.newAgent();
    await fixture.service.database.transaction((transaction) =>
      changeAgent(transaction, id, { status: 'stopped' }),
    );
    await refused(message(id, 'Hi'), 409);
  });

  test('422 for a key that belongs to another message', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    await (await open(call)).text();
    await refused({ ...call, body: { message: 'Something else' } }, 422);
  });

  test('429 above the limit of concurrent invocations', async () => {
    fixture.provider.behave(hang);
    const tenant = await fixture.service.tenant({ tier: 'free' });
    const { id } = await tenant.newAgent({ model: 'local/llama3.2' });
    const clients = Array.from({ length: 10 }, () => new AbortController());
    const call = message(id, 'Hi');
    const responses = await Promise.all(
      clients.map(({ signal }) => openStream(fixture.service.url, tenant.key, { ...call, signal })),
    );
    expect(responses.map(({ status }) => status)).toEqual(clients.map(() => 200));
    const headers = { accept: 'text/event-stream' };
    const reply = await tenant.api.call('invokeAgent', { ...call, headers });
    expect(reply).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    clients.forEach((client) => {
      client.abort();
    });
    await eventually(() => {
      expect(fixture.provider.received.every(({ wasAborted }) => wasAborted())).toBe(true);
    });
  });
});
