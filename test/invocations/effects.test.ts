/** Once a run has called a tool, its Idempotency-Key belongs to it: however it fails, a repeat does not call the tool again. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { agentHosting, AgentHostingError } from '../../client/src/index.js';
import { apiClient, type Call, send } from '../helpers/service/api.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { eventually } from '../helpers/eventually.js';
import { hang, status } from '../helpers/model-provider/failures.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { answer, callTools, chatCompletions, cut } from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import { effectsOn, message, recordsOnceFinished } from './service-with-model.js';
import { after, streamClientOf } from './stream-client.js';
import { refund, type RefundAgent, useToolFixtures } from './tool-fixtures.js';

const { fixture, shop, newRefundAgent } = useToolFixtures();
const connect = streamClientOf(fixture);

const keyed = ({ name }: RefundAgent, headers: Record<string, string> = {}): Call =>
  message(name, 'Refund order 7.', { headers: { 'idempotency-key': randomUUID(), ...headers } });

/** The error in a response. A repeat gets it only after the first request has recorded it. */
async function errorOf(call: Call): Promise<{ status: number; replayed: string | null } & Failed> {
  return eventually(async () => {
    const reply = await fixture.tenant.api.call('invokeAgent', call);
    const { error } = reply.body as ErrorResponse;
    if (reply.status === 202 || error.retry_after === 1) throw new Error('It still runs.');
    expect(reply.headers.get('retry-after')).toBeNull();
    return { status: reply.status, error, replayed: reply.headers.get('idempotency-replayed') };
  });
}

interface Failed {
  error: ErrorResponse['error'];
}

const conversation = (...then: Behaviour[]) => {
  fixture.provider.behave(refund, ...then);
};

const failures: [string, Behaviour, object, number, string][] = [
  ['500', status(500), {}, 502, 'upstream_error'],
  ['429', status(429, { 'retry-after': '90' }), {}, 503, 'unavailable'],
  ['400', status(400), {}, 502, 'upstream_error'],
  ['a cut stream', cut(chatCompletions, ['It is ']), {}, 502, 'upstream_error'],
  ['silence until the timeout', hang, { timeout: '2s' }, 504, 'timeout'],
];

describe.each(failures)(
  'after a tool call, %s of the provider',
  (_, behaviour, settings, ...end) => {
    const [expectedStatus, code] = end;
    const stored = {
      code,
      retryable: false,
      message: expect.stringContaining('new Idempotency-Key'),
    };

    test('is the stored end of a plain request', async () => {
      const agent = await newRefundAgent(settings);
      conversation(behaviour);
      const call = keyed(agent);
      const first = await fixture.tenant.api.call('invokeAgent', call);
      expect(first).toMatchObject({ status: expectedStatus, body: { error: stored } });
      expect(first.headers.get('retry-after')).toBeNull();
      const asked = fixture.provider.received.length;
      const repeat = await errorOf(call);
      expect(repeat).toMatchObject({ status: expectedStatus, replayed: 'true' });
      expect(repeat.error).toEqual((first.body as ErrorResponse).error);
      expect(shop.received).toHaveLength(1);
      expect(fixture.provider.received).toHaveLength(asked);
      expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 0 });
    });

    test('is the stored end of a stream, however it is repeated', async () => {
      const agent = await newRefundAgent(settings);
      conversation(behaviour);
      const call = keyed(agent);
      const { service, tenant } = fixture;
      const { events, headers } = await streamed(service.url, tenant.key, call);
      const [last] = events.slice(-1);
      expect(last).toMatchObject({ event: 'error', data: stored });
      const other = await service.another();
      for (const url of [service.url, other.url]) {
        for (const position of ['0', `${headers.get('x-request-id')}.1`]) {
          const resumed = await streamed(url, tenant.key, after(call, position));
          expect(resumed.events.at(-1)).toEqual(last);
        }
        const repeat = await apiClient(url, tenant.key).call('invokeAgent', call);
        expect(repeat).toMatchObject({ status: expectedStatus, body: { error: last?.data } });
      }
      await other.stop();
      expect(shop.received).toHaveLength(1);
    });

    test('is the stored end of an asynchronous request', async () => {
      const agent = await newRefundAgent(settings);
      conversation(behaviour);
      const call = keyed(agent, { prefer: 'respond-async' });
      const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
      await recordsOnceFinished(fixture.service, data.request_id);
      expect(await errorOf(call)).toMatchObject({ status: expectedStatus, error: stored });
      expect(shop.received).toHaveLength(1);
      expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 0 });
    });

    test('makes the SDK refund once', async () => {
      const agent = await newRefundAgent(settings);
      conversation(behaviour);
      const client = agentHosting({ apiKey: fixture.tenant.key, baseUrl: fixture.service.url });
      const invoking = client.agents.invoke(agent.name, { message: 'Refund order 7.' });
      await expect(invoking).rejects.toMatchObject({ code });
      await expect(invoking).rejects.toBeInstanceOf(AgentHostingError);
      expect(shop.received).toHaveLength(1);
      expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 0 });
    });
  },
);

describe('a client that disconnects after a tool call', () => {
  const stored = {
    code: 'conflict',
    retryable: false,
    message: expect.stringMatching(/^The caller disconnected .* had called tools/),
  };

  test('finds that under its key', async () => {
    const agent = await newRefundAgent();
    conversation(hang);
    const call = keyed(agent);
    const client = new AbortController();
    const asking = send(fixture.service.url, 'invokeAgent', {
      ...call,
      headers: { ...call.headers, authorization: `Bearer ${fixture.tenant.key}` },
      signal: client.signal,
    });
    await fixture.provider.asked(2);
    client.abort();
    await expect(asking).rejects.toThrow();
    expect(await errorOf(call)).toMatchObject({ status: 409, error: stored });
    expect(shop.received).toHaveLength(1);
  });

  test('finds that at the end of its stream', async () => {
    const agent = await newRefundAgent();
    conversation(hang);
    const call = keyed(agent, { prefer: 'grace=0' });
    const client = await connect(call);
    await client.next();
    await fixture.provider.asked(2);
    client.leave();
    expect(await errorOf(call)).toMatchObject({ status: 409, error: stored });
    const resumed = await connect(after(call, `${client.requestId}.1`));
    expect((await resumed.rest()).at(-1)).toMatchObject({ event: 'error', data: stored });
    expect(shop.received).toHaveLength(1);
  });
});

test('a client without a key is told that a repeat would call the tool again', async () => {
  const agent = await newRefundAgent();
  conversation(status(400));
  const { body } = await fixture.tenant.api.call('invokeAgent', message(agent.name, 'Refund.'));
  expect(body).toMatchObject({ error: { code: 'upstream_error', retryable: false } });
});

test('a run whose only calls are invalid has not acted, so that its key is free', async () => {
  const agent = await newRefundAgent();
  const invalid = callTools([{ name: 'refund', arguments: { order_id: 7 } }]);
  fixture.provider.behave(invalid, status(500));
  const call = keyed(agent);
  await fixture.tenant.api.expect('invokeAgent', 502, call);
  conversation(answer(chatCompletions, ['Done.']));
  await fixture.tenant.api.expect('invokeAgent', 200, call);
  expect(shop.received).toHaveLength(1);
});

describe('without a tool call', () => {
  test("a provider's 503 is retried by the service alone, and its key is free", async () => {
    const { id } = await fixture.newAgent();
    const { database } = fixture.service;
    const webhook = await insertWebhook(database, fixture.tenant.accountId, id);
    const events = ['agent.completed', 'agent.failed'];
    await database.prisma.webhook.update({ where: { id: webhook }, data: { events } });
    fixture.provider.behave(status(503));
    const call = message(id, 'Hi', { headers: { 'idempotency-key': randomUUID() } });
    const { error } = await fixture.tenant.api.expect('invokeAgent', 502, call);
    expect(error).toEqual({
      code: 'upstream_error',
      message: 'The model provider failed to answer.',
      retryable: false,
    });
    expect(fixture.provider.received).toHaveLength(3);
    const failed = await database.prisma.event.findMany({ where: { agentId: id } });
    expect(failed.map(({ type }) => type)).toEqual(['agent.failed']);
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    await fixture.tenant.api.expect('invokeAgent', 200, call);
  });

  test("a provider's 503 is retried by the service alone, not by the SDK as well", async () => {
    const { id } = await fixture.newAgent();
    fixture.provider.behave(status(503));
    const { agents } = agentHosting({ apiKey: fixture.tenant.key, baseUrl: fixture.service.url });
    const failed = agents.invoke(id, { message: 'Hi' });
    await expect(failed).rejects.toMatchObject({ status: 502, retryable: false });
    expect(fixture.provider.received).toHaveLength(3);
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 0 });
  });

  test.each([400, 401, 404])(
    'a permanent %d of the provider is not to be retried',
    async (code) => {
      const { id } = await fixture.newAgent();
      fixture.provider.behave(status(code));
      const { error } = await fixture.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
      expect(error.retryable).toBe(false);
      expect(fixture.provider.received).toHaveLength(1);
    },
  );

  test('a rate limit is to be retried later', async () => {
    const { id } = await fixture.newAgent();
    fixture.provider.behave(status(429, { 'retry-after': '30' }));
    const { error } = await fixture.tenant.api.expect('invokeAgent', 503, message(id, 'Hi'));
    expect(error).toEqual({
      code: 'unavailable',
      message: 'The model provider is limiting its rate. Retry in 30 seconds.',
      retry_after: 30,
    });
  });
});
