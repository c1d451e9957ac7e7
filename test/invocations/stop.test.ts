/** Stopping the service while invocations run. */
import { describe, expect, test } from '@jest/globals';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { hang } from '../helpers/model-provider/failures.js';
import {
  answer,
  answerLater,
  chatCompletions,
  stall,
} from '../helpers/model-provider/wire-formats.js';
import { eventsOf, openStream } from './event-reader.js';
import { message, messageIn, recordsOf, useServiceWithModel } from './service-with-model.js';

// The first instance runs no asynchronous invocations; each test starts one that does.
const fixture = useServiceWithModel({ ASYNC_CONCURRENCY: '0' });

const later = { headers: { prefer: 'respond-async' } };

describe('an asynchronous invocation', () => {
  test('that takes too long is returned to the queue, and another instance runs it', async () => {
    fixture.provider.behave(hang, answer(chatCompletions, ['Second try']));
    const worker = await fixture.service.another({
      ASYNC_CONCURRENCY: '4',
      SHUTDOWN_TIMEOUT_MS: '100',
    });
    const { id } = await fixture.newAgent();
    const call = { ...messageIn('chat', id, 'Hi'), ...later };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await fixture.provider.asked(1);
    await worker.stop();
    const { invocation } = await recordsOf(fixture.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'queued', attempts: 0, leaseOwner: null });
    expect(await fixture.service.database.prisma.sessionLease.count()).toBe(0);
    const next = await fixture.service.another({ ASYNC_CONCURRENCY: '4' });
    await eventually(async () => {
      const traces = await recordsOf(fixture.service, data.request_id);
      expect(traces.memory.map(({ content }) => content)).toEqual(['Hi', 'Second try']);
      expect(traces.invocation).toMatchObject({ status: 'succeeded', attempts: 1 });
    });
    await next.stop();
  });

  test('that ends in time is completed', async () => {
    const held = answerLater(chatCompletions, ['In time']);
    fixture.provider.behave(held.reply);
    const worker = await fixture.service.another({
      ASYNC_CONCURRENCY: '4',
      SHUTDOWN_TIMEOUT_MS: '20000',
    });
    const { id } = await fixture.newAgent();
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, message(id, 'Hi', later));
    await fixture.provider.asked(1);
    const stopped = worker.stop();
    held.finish();
    await stopped;
    const { invocation } = await recordsOf(fixture.service, data.request_id);
    expect(invocation?.status).toBe('succeeded');
  });
});

describe('a synchronous invocation', () => {
  test('that ends in time is answered', async () => {
    const held = answerLater(chatCompletions, ['In time']);
    fixture.provider.behave(held.reply);
    const instance = await fixture.service.another({ SHUTDOWN_TIMEOUT_MS: '20000' });
    const { id } = await fixture.newAgent();
    const asking = instance.api(fixture.tenant.key).expect('invokeAgent', 200, message(id, 'Hi'));
    await fixture.provider.asked(1);
    const stopped = instance.stop();
    held.finish();
    expect((await asking).data.response).toBe('In time');
    await stopped;
  });

  test('that takes too long gets an error, and is recorded as failed', async () => {
    fixture.provider.behave(hang);
    const instance = await fixture.service.another({ SHUTDOWN_TIMEOUT_MS: '1500' });
    const { id } = await fixture.newAgent();
    const asking = send(instance.url, 'invokeAgent', {
      ...message(id, 'Hi'),
      headers: { authorization: `Bearer ${fixture.tenant.key}` },
    });
    await fixture.provider.asked(1);
    await instance.stop();
    const response = await asking;
    await response.text();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    const { invocation } = await recordsOf(
      fixture.service,
      response.headers.get('x-request-id') ?? '',
    );
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'unavailable' });
  });

  test('that is streamed ends with an error event', async () => {
    fixture.provider.behave(stall(chatCompletions, ['On ']));
    const instance = await fixture.service.another({ SHUTDOWN_TIMEOUT_MS: '1500' });
    const { id } = await fixture.newAgent();
    const response = await openStream(instance.url, fixture.tenant.key, message(id, 'Hi'));
    const events = eventsOf(response);
    await events.next();
    const stopped = instance.stop();
    const last = await events.next();
    expect(last).toMatchObject({ value: { event: 'error', data: { code: 'unavailable' } } });
    await stopped;
  });
});
