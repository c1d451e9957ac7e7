/** Waiting for the result of an asynchronous invocation by repeating its request. */
import { describe, expect, test } from '@jest/globals';
import { ConnectionTimeoutError, UpstreamError } from '../../client/src/index.js';
import {
  dataResponse,
  errorResponse,
  finalErrorResponse,
  hang,
  jsonResponse,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

const accepted = jsonResponse(202, { success: true, data: { request_id: 'req_1' } });
const done = dataResponse({ response: 'Hello', request_id: 'req_1' });
const body = { message: 'Hi' };

const sent = (header: string) => server.received.map(({ headers }) => headers[header]);

describe('result()', () => {
  test('repeats the request with its key until there is a result', async () => {
    server.respondWith(accepted, accepted, accepted, done);
    const call = server.client().agents.invokeAsync('bot', body);
    expect(await call.result()).toMatchObject({ response: 'Hello' });
    expect(sent('idempotency-key')).toEqual(Array(4).fill(call.idempotencyKey));
    expect(server.received.map((request) => request.body)).toEqual(
      Array(4).fill('{"message":"Hi"}'),
    );
  });

  test('asks the service to hold a repeated request, for less than the time-out', async () => {
    server.respondWith(accepted, accepted, done);
    await server.client().agents.invokeAsync('bot', body).result();
    const held = 'respond-async, wait=20';
    expect(sent('prefer')).toEqual(['respond-async', held, held]);
    server.respondWith(accepted, done);
    await server.client({ timeout: 9_000 }).agents.invokeAsync('bot', body).result();
    expect(sent('prefer').at(-1)).toBe('respond-async, wait=4');
  });

  test('needs no repeat if an invocation with the key has ended', async () => {
    server.respondWith(done);
    const options = { idempotencyKey: 'mine' };
    const call = server.client().agents.invokeAsync('bot', body, options);
    expect(call.idempotencyKey).toBe('mine');
    expect(await call.result()).toMatchObject({ response: 'Hello' });
    expect(sent('idempotency-key')).toEqual(['mine']);
  });

  test.each([
    ['stored', errorResponse(502, 'upstream_error', { 'idempotency-replayed': 'true' })],
    ['not retryable', finalErrorResponse(502, 'upstream_error')],
  ])('rejects with an error that is %s, and does not repeat the request', async (_why, failed) => {
    server.respondWith(accepted, failed);
    const call = server.client().agents.invokeAsync('bot', body);
    await expect(call.result()).rejects.toThrow(UpstreamError);
    expect(server.received).toHaveLength(2);
  });

  test('waits no longer than its time-out', async () => {
    server.respondWith(accepted);
    const call = server.client().agents.invokeAsync('bot', body);
    const error: unknown = await call.result({ timeout: 300 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionTimeoutError);
    expect(error).toHaveProperty('message', 'No result within 0.3 s.');
    expect(await call).toEqual({ request_id: 'req_1' });
  });

  test.each(['of the call', 'of its own'])('ends with the signal %s', async (owner) => {
    server.respondWith(accepted, hang);
    const controller = new AbortController();
    const { signal } = controller;
    const options = owner === 'of the call' ? [{ signal }, {}] : [{}, { signal }];
    const call = server.client().agents.invokeAsync('bot', body, options[0]);
    const result = call.result(options[1]);
    await server.waitForRequests(2);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
  });

  test('rejects as the call does', async () => {
    server.respondWith(errorResponse(404, 'not_found'));
    const call = server.client().agents.invokeAsync('bot', body);
    await expect(call.result()).rejects.toThrow('It is not_found.');
    expect(server.received).toHaveLength(1);
  });
});
