/** Invoke Agent with `Prefer: respond-async`: accepted at once, run by a worker, reported by event and to a repeat. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { changeAgent } from '../../server/agents/agents.js';
import { type Call, statusAt } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { hang, status } from '../helpers/model-provider/failures.js';
import { answer, answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import {
  countsOf,
  recordsOnceFinished,
  message,
  messageIn,
  recordsOf,
  useServiceWithModel,
} from './service-with-model.js';

const fixture = useServiceWithModel();

function later(call: Call, headers: Record<string, string> = {}): Call {
  return { ...call, headers: { prefer: 'respond-async', ...headers } };
}

async function accept(call: Call): Promise<string> {
  const { data } = await fixture.tenant.api.expect('invokeAgent', 202, later(call));
  return data.request_id;
}

describe('an asynchronous invocation', () => {
  test('is accepted with its request id and Preference-Applied', async () => {
    const { id } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', later(message(id, 'Hi')));
    expect(reply.status).toBe(202);
    expect(reply.headers.get('preference-applied')).toBe('respond-async');
    const request_id = reply.headers.get('x-request-id') ?? '';
    expect(reply.body).toEqual({ success: true, data: { request_id } });
    await recordsOnceFinished(fixture.service, request_id);
  });

  test('records the same as a synchronous one, and sends its result as an event', async () => {
    const { id } = await fixture.newAgent();
    const webhook = await insertWebhook(fixture.service.database, fixture.tenant.accountId, id);
    const context = { user_id: 'user-1', session_id: 'chat-1', plan: 'gold' };
    const path = { agent_id: id };
    const requestId = await accept({ path, body: { message: 'Where is it?', context } });
    const traces = await recordsOnceFinished(fixture.service, requestId);
    expect(traces.invocation).toMatchObject({
      status: 'succeeded',
      message: null,
      context,
      tokensUsed: 7,
      attempts: 1,
      leaseOwner: null,
      availableAt: null,
    });
    expect(traces.logs.map(({ message: text }) => text)).toEqual([
      expect.stringMatching(/^Invocation answered in \d+ ms$/),
    ]);
    expect(traces.memory.map(({ content }) => content)).toEqual(['Where is it?', 'On its way.']);
    expect(traces.events).toMatchObject([
      {
        type: 'agent.completed',
        body: { data: { request_id: requestId, response: 'On its way.', tokens_used: 7 } },
        deliveredTo: [webhook],
      },
    ]);
    expect(await countsOf(fixture.service, id)).toMatchObject({ invocations: 1, failures: 0 });
  });

  test('that fails is recorded with its error', async () => {
    fixture.provider.behave(status(401));
    const { id } = await fixture.newAgent();
    const traces = await recordsOnceFinished(fixture.service, await accept(message(id, 'Hi')));
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'upstream_error' });
    expect(traces.memory).toEqual([]);
  });

  test('is not run once its agent is stopped', async () => {
    const { id } = await fixture.newAgent();
    const { database } = fixture.service;
    const held = answerLater(chatCompletions, ['Yes']);
    fixture.provider.behave(held.reply, answer(chatCompletions, ['Not stopped yet']));
    const first = await accept(messageIn('chat', id, 'First'));
    const second = await accept(messageIn('chat', id, 'Second'));
    await fixture.provider.asked(1);
    await database.transaction((transaction) =>
      changeAgent(transaction, id, { status: 'stopped' }),
    );
    // Waits until every instance has been notified.
    await eventually(() => fixture.tenant.api.expect('invokeAgent', 409, message(id, 'Hi')));
    held.finish();
    expect((await recordsOnceFinished(fixture.service, first)).invocation?.status).toBe(
      'succeeded',
    );
    expect((await recordsOnceFinished(fixture.service, second)).invocation).toMatchObject({
      status: 'failed',
      errorCode: 'unavailable',
    });
    const asked = fixture.provider.received.map(({ body }) => JSON.stringify(body));
    expect(asked.filter((body) => body.includes('Second'))).toEqual([]);
  });

  test('is deleted with its agent', async () => {
    fixture.provider.behave(hang);
    const { id } = await fixture.newAgent();
    const requestId = await accept(message(id, 'Hi'));
    await fixture.provider.asked(1);
    await fixture.tenant.api.expect('deleteAgent', 200, { path: { agent_id: id } });
    expect((await recordsOf(fixture.service, requestId)).invocation).toBeNull();
    // The worker notices when it renews its lease, and aborts the call.
    await fixture.provider.received[0]?.closed;
  });

  test.each(['respond-async, wait=10', 'foo=bar; baz, Respond-Async', 'respond-async;x="a,b"'])(
    'is requested by Prefer: %s',
    async (prefer) => {
      const { id } = await fixture.tenant.newAgent();
      const headers = { prefer };
      await fixture.tenant.api.expect('invokeAgent', 202, message(id, 'Hi', { headers }));
    },
  );

  test.each(['wait=10', 'foo="respond-async"', 'respond-asynchronously', 'return=minimal'])(
    'is not requested by Prefer: %s',
    async (prefer) => {
      const { id } = await fixture.tenant.newAgent();
      const headers = { prefer };
      const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi', { headers }));
      expect(reply.status).toBe(200);
      expect(reply.headers.has('preference-applied')).toBe(false);
    },
  );
});

describe('a repeat that waits', () => {
  const waiting = (call: Call, seconds: string) => ({
    ...call,
    headers: { ...call.headers, prefer: `respond-async, wait=${seconds}` },
  });

  test('gets the result as soon as it is ready, without occupying a slot of its account', async () => {
    const held = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(held.reply);
    const { id } = await fixture.newAgent();
    const call = later(message(id, 'Hi'), { 'idempotency-key': randomUUID() });
    await fixture.tenant.api.expect('invokeAgent', 202, waiting(call, '60'));
    await fixture.provider.asked(1);
    const repeats = Array.from({ length: 30 }, () =>
      fixture.tenant.api.expect('invokeAgent', 200, waiting(call, '60')),
    );
    await fixture.tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    held.finish();
    for (const { data } of await Promise.all(repeats)) expect(data.response).toBe('Done.');
    expect(fixture.provider.received).toHaveLength(1);
  });

  test.each(['1', '0', 'a while', '-5'])(
    'for %s gets a 202 if there is no result by then',
    async (seconds) => {
      const held = answerLater(chatCompletions, ['Done.']);
      fixture.provider.behave(held.reply);
      const { id } = await fixture.newAgent();
      const call = later(message(id, 'Hi'), { 'idempotency-key': randomUUID() });
      const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
      await fixture.tenant.api.expect('invokeAgent', 202, waiting(call, seconds));
      held.finish();
      await recordsOnceFinished(fixture.service, data.request_id);
    },
  );

  test('does not keep the service from stopping', async () => {
    const held = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(held.reply);
    const { id } = await fixture.newAgent();
    const call = later(message(id, 'Hi'), { 'idempotency-key': randomUUID() });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await fixture.provider.asked(1);
    const other = await fixture.service.another({ ASYNC_CONCURRENCY: '0', WORKER: 'off' });
    const repeat = other.api(fixture.tenant.key).call('invokeAgent', waiting(call, '60'));
    // Requests are read in order, so this one has been read afterwards.
    for (let n = 0; n < 20; n += 1) expect(await statusAt(`${other.url}/healthz`)).toBe(200);
    await other.stop();
    expect((await repeat).status).toBe(202);
    held.finish();
    await recordsOnceFinished(fixture.service, data.request_id);
  });
});

describe('a repeat with the same Idempotency-Key', () => {
  test('returns 202 while it runs, and then the stored result, in either form', async () => {
    const held = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(held.reply);
    const { id } = await fixture.newAgent();
    const call = later(message(id, 'Hi'), { 'idempotency-key': randomUUID() });
    const { data: accepted } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await fixture.provider.asked(1);
    const during = await fixture.tenant.api.call('invokeAgent', call);
    expect(during).toMatchObject({ status: 202, body: { data: accepted } });
    expect(during.headers.get('idempotency-replayed')).toBe('true');
    expect(during.headers.get('preference-applied')).toBe('respond-async');
    held.finish();
    await recordsOnceFinished(fixture.service, accepted.request_id);
    const after = await fixture.tenant.api.call('invokeAgent', call);
    expect(after).toMatchObject({
      status: 200,
      body: { data: { response: 'Done.', request_id: accepted.request_id } },
    });
    expect(after.headers.get('idempotency-replayed')).toBe('true');
    expect(after.headers.has('preference-applied')).toBe(false);
    const { events } = await streamed(fixture.service.url, fixture.tenant.key, call);
    expect(events.map(({ event }) => event)).toEqual(['delta', 'done']);
    expect(fixture.provider.received).toHaveLength(1);
  });

  const failures: [code: number, reply: ReturnType<typeof status>][] = [
    [502, status(401)],
    [503, status(429, { 'retry-after': '90' })],
    [504, hang],
  ];
  test.each(failures)('returns the stored error: %i', async (code, behaviour) => {
    fixture.provider.behave(behaviour);
    // A model of its own, since a rate limit lasts.
    const model = `local/model-${code}`;
    const { id } = await fixture.newAgent({ model, timeoutMs: code === 504 ? 400 : 60_000 });
    const call = later(message(id, 'Hi'), { 'idempotency-key': randomUUID() });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await recordsOnceFinished(fixture.service, data.request_id);
    const repeat = await fixture.tenant.api.call('invokeAgent', call);
    expect(repeat.status).toBe(code);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('retry-after')).toBe(code === 503 ? '90' : null);
  });
});
