/** Time-outs and aborts: a call ends in time, with the reason, and releases its resources. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { ConnectionError, ConnectionTimeoutError } from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { useClientTimers } from './client-timers.js';
import {
  disconnect,
  dataResponse,
  drip,
  serverSentEvent,
  eventStream,
  errorResponse,
  hang,
  hangInBody,
  hangInHeaders,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

describe('A time-out', () => {
  const timers = useClientTimers();

  test.each([
    ['before the response', hang],
    ['in the middle of its headers', hangInHeaders],
    ['in the middle of its body', hangInBody],
    ['while its body arrives byte by byte', drip],
    [
      'in an event stream that was not requested',
      eventStream([serverSentEvent('delta', {})], 'hang'),
    ],
  ])('ends the attempt %s, and its connection', async (_name, respond) => {
    server.respondWith(respond);
    const call = server.client({ timeout: 100, maxRetries: 0 }).agents.get('bot');
    const rejected = expect(call).rejects.toThrow(ConnectionTimeoutError);
    await server.waitForRequests(1);
    timers.advance(100);
    await rejected;
    await server.waitForDisconnect();
  });

  test('is a connection error', () => {
    expect(new ConnectionTimeoutError('Timed out.')).toBeInstanceOf(ConnectionError);
  });

  test('starts over for each attempt', async () => {
    server.respondWith(hang, hang, dataResponse({ id: 'agent_1' }));
    const call = server.client({ timeout: 9_000 }).agents.get('bot');
    for (const attempt of [1, 2]) {
      await server.waitForRequests(attempt);
      timers.advance(9_000);
      // The time-out, and the pause before the next attempt.
      await eventually(() => {
        expect(timers.delays()).toHaveLength(2 * attempt);
      });
      timers.advance(8_000);
    }
    expect(await call).toEqual({ id: 'agent_1' });
    expect(timers.delays().filter((ms) => ms === 9_000)).toHaveLength(3);
  });

  test('of the call overrides that of the client', async () => {
    server.respondWith(hang);
    const client = server.client({ timeout: 60_000, maxRetries: 0 });
    const call = client.agents.get('bot', { timeout: 1_000 });
    const rejected = expect(call).rejects.toThrow(ConnectionTimeoutError);
    await server.waitForRequests(1);
    timers.advance(1_000);
    await rejected;
  });

  test('of 0 is no limit', async () => {
    server.respondWith(dataResponse());
    await server.client({ timeout: 0 }).agents.get('bot');
    expect(timers.delays()).toEqual([]);
  });
});

describe('An aborted call', () => {
  const reason = new Error('no longer wanted');

  test('is not sent if it was aborted before', async () => {
    server.respondWith(dataResponse());
    const signal = AbortSignal.abort(reason);
    await expect(server.client().agents.get('bot', { signal })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });

  test.each([
    ['before the response', hang],
    ['in the middle of its headers', hangInHeaders],
    ['in the middle of its body', hangInBody],
  ])(
    'rejects with the reason %s, closes its connection and is not retried',
    async (_name, respond) => {
      server.respondWith(respond);
      const controller = new AbortController();
      const { signal } = controller;
      const call = server.client().agents.get('bot', { signal });
      await server.waitForRequests(1);
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
      await server.waitForDisconnect();
      expect(server.received).toHaveLength(1);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    },
  );

  test('is not sent if it is aborted while its key is fetched', async () => {
    server.respondWith(dataResponse());
    const controller = new AbortController();
    const apiKey = () => {
      controller.abort(reason);
      return Promise.resolve('key');
    };
    const { signal } = controller;
    await expect(server.client({ apiKey }).agents.get('bot', { signal })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });

  test('ends during the pause before the next attempt', async () => {
    server.respondWith(errorResponse(503, 'unavailable', { 'retry-after': '50' }));
    const controller = new AbortController();
    const call = server.client().agents.get('bot', { signal: controller.signal });
    await server.waitForRequests(1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

test('A signal that outlives many calls has no listeners left', async () => {
  const { signal } = new AbortController();
  server.respondWith(errorResponse(500, 'server_error'), disconnect, dataResponse());
  await server.client().agents.get('bot', { signal });
  server.respondWith(dataResponse());
  for (let count = 0; count < 20; count += 1) await server.client().agents.get('bot', { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
