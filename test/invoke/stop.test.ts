/** Stopping the service while invocations run. */
import { describe, expect, test } from '@jest/globals';
import { send } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { hang } from '../runtime/provider-server.js';
import { answer, answerLater, chatCompletions, stall } from '../runtime/wire-formats.js';
import { eventsOf, openStream } from './event-reader.js';
import { message, messageIn, tracesOf, useWorld } from './world.js';

// The first instance runs nothing asynchronous; what does is started by each test.
const world = useWorld({ ASYNC_CONCURRENCY: '0' });

const later = { headers: { prefer: 'respond-async' } };

describe('an asynchronous invocation', () => {
  test('that takes too long is given back, and another instance runs it', async () => {
    world.provider.behave(hang, answer(chatCompletions, ['Second try']));
    const worker = await world.service.another({
      ASYNC_CONCURRENCY: '4',
      SHUTDOWN_TIMEOUT_MS: '100',
    });
    const { id } = await world.newAgent();
    const call = { ...messageIn('chat', id, 'Hi'), ...later };
    const { data } = await world.tenant.api.expect('invokeAgent', 202, call);
    await world.provider.asked(1);
    await worker.stop();
    const { invocation } = await tracesOf(world.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'queued', attempts: 0, leaseOwner: null });
    expect(await world.service.database.prisma.sessionLease.count()).toBe(0);
    const next = await world.service.another({ ASYNC_CONCURRENCY: '4' });
    await eventually(async () => {
      const traces = await tracesOf(world.service, data.request_id);
      expect(traces.memory.map(({ content }) => content)).toEqual(['Hi', 'Second try']);
      expect(traces.invocation).toMatchObject({ status: 'succeeded', attempts: 1 });
    });
    await next.stop();
  });

  test('that ends in time is let end', async () => {
    const held = answerLater(chatCompletions, ['In time']);
    world.provider.behave(held.reply);
    const worker = await world.service.another({
      ASYNC_CONCURRENCY: '4',
      SHUTDOWN_TIMEOUT_MS: '20000',
    });
    const { id } = await world.newAgent();
    const { data } = await world.tenant.api.expect('invokeAgent', 202, message(id, 'Hi', later));
    await world.provider.asked(1);
    const stopped = worker.stop();
    held.finish();
    await stopped;
    const { invocation } = await tracesOf(world.service, data.request_id);
    expect(invocation?.status).toBe('succeeded');
  });
});

describe('a synchronous invocation', () => {
  test('that ends in time is answered', async () => {
    const held = answerLater(chatCompletions, ['In time']);
    world.provider.behave(held.reply);
    const instance = await world.service.another({ SHUTDOWN_TIMEOUT_MS: '20000' });
    const { id } = await world.newAgent();
    const asking = instance.api(world.tenant.key).expect('invokeAgent', 200, message(id, 'Hi'));
    await world.provider.asked(1);
    const stopped = instance.stop();
    held.finish();
    expect((await asking).data.response).toBe('In time');
    await stopped;
  });

  test('that takes too long is told so, and recorded as failed', async () => {
    world.provider.behave(hang);
    const instance = await world.service.another({ SHUTDOWN_TIMEOUT_MS: '5000' });
    const { id } = await world.newAgent();
    const asking = send(instance.url, 'invokeAgent', {
      ...message(id, 'Hi'),
      headers: { authorization: `Bearer ${world.tenant.key}` },
    });
    await world.provider.asked(1);
    await instance.stop();
    const response = await asking;
    await response.text();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    const { invocation } = await tracesOf(
      world.service,
      response.headers.get('x-request-id') ?? '',
    );
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'unavailable' });
  });

  test('that is streamed ends with an error event', async () => {
    world.provider.behave(stall(chatCompletions, ['On ']));
    const instance = await world.service.another({ SHUTDOWN_TIMEOUT_MS: '5000' });
    const { id } = await world.newAgent();
    const response = await openStream(instance.url, world.tenant.key, message(id, 'Hi'));
    const events = eventsOf(response);
    await events.next();
    const stopped = instance.stop();
    const last = await events.next();
    expect(last).toMatchObject({ value: { event: 'error', data: { code: 'unavailable' } } });
    await stopped;
  });
});
