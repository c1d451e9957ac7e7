/** `Prefer: cancel`: a caller stops what its own request runs, on whatever instance. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { apiClient, type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { hang } from '../helpers/model-provider/failures.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { message, recordsOnceFinished } from './service-with-model.js';
import { after, streamClientOf } from './stream-client.js';
import { refund, useToolFixtures } from './tool-fixtures.js';

const { fixture, shop, newRefundAgent } = useToolFixtures();
const other = useFixture(() => fixture.service.another());
const connect = streamClientOf(fixture);

const keyed = (name: string, headers: Call['headers'] = {}): Call =>
  message(name, 'Refund order 7.', { headers: { 'idempotency-key': randomUUID(), ...headers } });

const cancelling = (call: Call): Call => ({
  ...call,
  headers: { ...call.headers, prefer: 'cancel' },
});

/** Requests arrive at one instance, and cancellations at the other. */
const cancel = (call: Call) =>
  apiClient(other.url, fixture.tenant.key).call('invokeAgent', cancelling(call));

/** A second, on a machine that has nothing else to do. Without the notification, nothing would stop the run before its timeout. */
const promptlyMs = 5_000;

const outcome = { code: 'conflict', message: expect.stringMatching(/was cancelled/) };

/** The model thinks about the refund, which has been made. */
async function untilRefunded(): Promise<void> {
  await fixture.provider.asked(2);
  expect(shop.received).toHaveLength(1);
}

describe('cancels promptly, on another instance,', () => {
  test('a plain request', async () => {
    const { name } = await newRefundAgent();
    fixture.provider.behave(refund, hang, refund);
    const call = keyed(name);
    const asking = fixture.tenant.api.call('invokeAgent', call);
    await untilRefunded();
    const startedAt = performance.now();
    const { status, headers, body } = await cancel(call);
    expect({ status, applied: headers.get('preference-applied') }).toEqual({
      status: 202,
      applied: 'cancel',
    });
    const first = await asking;
    expect(performance.now() - startedAt).toBeLessThan(promptlyMs);
    expect(first).toMatchObject({ status: 409, body: { error: outcome } });
    const { request_id: id } = (body as { data: { request_id: string } }).data;
    const { invocation } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    const repeat = await fixture.tenant.api.expect('invokeAgent', 409, call);
    expect(repeat.error).toMatchObject({ ...outcome, retryable: false });
    expect(shop.received).toHaveLength(1);
  });

  test('a stream', async () => {
    const { name } = await newRefundAgent();
    fixture.provider.behave(refund, hang);
    const call = keyed(name);
    const client = await connect(call);
    await untilRefunded();
    const startedAt = performance.now();
    expect(await cancel(call)).toMatchObject({ status: 202 });
    const events = await client.rest();
    expect(performance.now() - startedAt).toBeLessThan(promptlyMs);
    expect(events.at(-1)).toMatchObject({ event: 'error', data: outcome });
    const resumed = await connect(after(call, '0'));
    expect((await resumed.rest()).at(-1)).toMatchObject({ event: 'error', data: outcome });
    expect(shop.received).toHaveLength(1);
  });

  test('an asynchronous request', async () => {
    const { name } = await newRefundAgent();
    fixture.provider.behave(refund, hang);
    const call = keyed(name, { prefer: 'respond-async' });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await untilRefunded();
    const hung = fixture.provider.received.length;
    expect(await cancel(call)).toMatchObject({ status: 202, body: { data } });
    const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    const repeat = await fixture.tenant.api.expect('invokeAgent', 409, call);
    expect(repeat.error).toMatchObject(outcome);
    expect(fixture.provider.received).toHaveLength(hung);
    expect(await fixture.service.database.prisma.runStep.count()).toBe(0);
  });

  test('a call of a tool', async () => {
    const { name } = await newRefundAgent();
    fixture.provider.behave(refund, answer(chatCompletions, ['Never said.']));
    shop.isSilent = true;
    const call = keyed(name);
    const asking = fixture.tenant.api.call('invokeAgent', call);
    await eventually(() => {
      expect(shop.received).toHaveLength(1);
    });
    expect(await cancel(call)).toMatchObject({ status: 202 });
    expect(await asking).toMatchObject({ status: 409 });
    expect(fixture.provider.received).toHaveLength(1);
  });

  test('a request whose model has not answered yet', async () => {
    const { name } = await newRefundAgent();
    fixture.provider.behave(hang);
    const call = keyed(name);
    const asking = fixture.tenant.api.call('invokeAgent', call);
    await fixture.provider.asked(1);
    expect(await cancel(call)).toMatchObject({ status: 202 });
    expect(await asking).toMatchObject({ status: 409, body: { error: outcome } });
    await fixture.tenant.api.expect('invokeAgent', 409, call);
    expect(fixture.provider.received).toHaveLength(1);
  });
});

describe('runs nothing', () => {
  test('if no request has the key', async () => {
    const { name } = await newRefundAgent();
    const { status, body } = await cancel(keyed(name));
    expect(status).toBe(404);
    expect((body as ErrorResponse).error.message).toBe(
      'No request has this Idempotency-Key, so there is nothing to cancel.',
    );
    expect(fixture.provider.received).toEqual([]);
  });

  test('without a key, with another body, or once the request has ended', async () => {
    const { name } = await newRefundAgent();
    expect(await cancel(message(name, 'Hi'))).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'Idempotency-Key' }] } },
    });
    const call = keyed(name);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(await cancel(call)).toMatchObject({ status: 200, body: { data } });
    const headers = call.headers ?? {};
    expect(await cancel(message(name, 'Another.', { headers }))).toMatchObject({ status: 422 });
    expect(fixture.provider.received).toHaveLength(1);
  });

  test("for another caller's key", async () => {
    const { name } = await newRefundAgent();
    fixture.provider.behave(hang);
    const call = keyed(name);
    const asking = fixture.tenant.api.call('invokeAgent', call);
    await fixture.provider.asked(1);
    const { key } = await fixture.tenant.newKey({ permissions: ['write'] });
    const stranger = apiClient(fixture.service.url, key);
    expect(await stranger.call('invokeAgent', cancelling(call))).toMatchObject({ status: 404 });
    expect(await cancel(call)).toMatchObject({ status: 202 });
    await asking;
  });
});
