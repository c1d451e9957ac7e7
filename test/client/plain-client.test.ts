/** The plain client: openapi-fetch with the authentication, the retries and the time-outs of the SDK. */
import { getEventListeners } from 'node:events';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ConnectionTimeoutError,
  createClient,
  InvalidResponseError,
  NotFoundError,
  type PlainClient,
  RateLimitedError,
  unwrap,
} from '../../client/src/index.js';
import { useClientTimers } from './client-timers.js';
import {
  disconnect,
  disconnectInBody,
  dataResponse,
  serverSentEvent,
  eventStream,
  errorResponse,
  hang,
  rawResponse,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();
let client: PlainClient;

beforeAll(() => {
  client = createClient({ apiKey: 'key', baseUrl: server.url });
});

const bot = { params: { path: { agent_id: 'bot' } } };
const get = () => client.GET('/v1/agents/{agent_id}', bot);
const invoke = () =>
  client.POST('/v1/agents/{agent_id}/invoke', { ...bot, body: { message: 'Hi' } });

describe('The plain client', () => {
  test('resolves to the data, or the error, and the response', async () => {
    server.respondWith(dataResponse({ id: 'agent_1' }));
    const success = await get();
    expect(success.data).toEqual({ success: true, data: { id: 'agent_1' } });
    expect(success.response.status).toBe(200);
    expect(server.received).toMatchObject([
      { path: '/v1/agents/bot', headers: { authorization: 'Bearer key' } },
    ]);

    server.respondWith(errorResponse(404, 'not_found'));
    const { data: none, error, response } = await get();
    expect(none).toBeUndefined();
    expect(error).toMatchObject({ success: false, error: { code: 'not_found' } });
    expect(response.headers.get('x-request-id')).toBe('req_1');
  });

  test('unwraps the page of another server to an InvalidResponseError', async () => {
    server.respondWith(rawResponse(404, '<h1>Apache</h1>', { 'content-type': 'text/html' }));
    const result = await get();
    expect(() => unwrap(result)).toThrow(InvalidResponseError);
  });

  test('sends queries and bodies as the contract says', async () => {
    server.respondWith(dataResponse());
    await client.GET('/v1/agents/{agent_id}/metrics', {
      params: { path: { agent_id: 'a/b' }, query: { metric: 'throughput', granularity: '1m' } },
    });
    await invoke();
    expect(server.received).toMatchObject([
      { path: '/v1/agents/a%2Fb/metrics?metric=throughput&granularity=1m' },
      { body: '{"message":"Hi"}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  test.each([
    ['503', errorResponse(503, 'unavailable')],
    ['a closed connection', disconnect],
    ['an incomplete body', disconnectInBody],
  ])('retries after %s, with the same body and Idempotency-Key', async (_name, respond) => {
    server.respondWith(respond, respond, dataResponse({ response: 'Hello' }));
    expect((await invoke()).data).toMatchObject({ data: { response: 'Hello' } });
    const sent = server.received.map(({ body, headers }) => [body, headers['idempotency-key']]);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(Array(3).fill(['{"message":"Hi"}', sent[0]?.[1]]));

    server.respondWith(respond, dataResponse());
    await get();
    expect(server.received).toHaveLength(2);
  });

  test('rejects when it is aborted, with the reason', async () => {
    server.respondWith(hang);
    const controller = new AbortController();
    const call = client.GET('/v1/agents', { signal: controller.signal });
    await server.waitForRequests(1);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await server.waitForDisconnect();
    // The Request that openapi-fetch creates keeps its own listener.
    expect(getEventListeners(controller.signal, 'abort').length).toBeLessThan(2);
  });

  describe('with a time-out', () => {
    const timers = useClientTimers();

    test('rejects when it is over', async () => {
      server.respondWith(hang);
      const options = { apiKey: 'key', baseUrl: server.url, timeout: 500, maxRetries: 0 };
      const call = createClient(options).GET('/v1/agents');
      const rejected = expect(call).rejects.toThrow(ConnectionTimeoutError);
      await server.waitForRequests(1);
      timers.advance(500);
      await rejected;
    });
  });

  test('passes on the options of fetch', async () => {
    server.respondWith(rawResponse(302, '', { location: '/elsewhere' }));
    const { response } = await client.GET('/v1/agents', { redirect: 'manual', maxRetries: 0 });
    expect(response.status).toBe(302);
  });

  test('passes streams through unchanged', async () => {
    const text =
      serverSentEvent('delta', { text: 'Hello' }) + serverSentEvent('done', { response: 'Hello' });
    server.respondWith(eventStream([text], 'end'));
    const { data: stream } = await client.POST('/v1/agents/{agent_id}/invoke', {
      ...bot,
      body: { message: 'Hi' },
      headers: { accept: 'text/event-stream' },
      parseAs: 'stream',
    });
    expect(await new Response(stream).text()).toBe(text);
  });

  test('supports the middleware of openapi-fetch', async () => {
    server.respondWith(dataResponse());
    const other = createClient({ apiKey: 'key', baseUrl: server.url });
    other.use({
      onRequest: ({ request }) => {
        request.headers.set('x-team', 'desk');
      },
    });
    await other.GET('/v1/agents');
    expect(server.received[0]?.headers['x-team']).toBe('desk');
  });
});

describe('unwrap', () => {
  test('returns the body, or throws the error that the fluent client would throw', async () => {
    server.respondWith(dataResponse({ id: 'agent_1' }));
    expect(unwrap(await get())).toEqual({ success: true, data: { id: 'agent_1' } });
    server.respondWith(errorResponse(404, 'not_found'));
    await expect(get().then(unwrap)).rejects.toThrow(NotFoundError);
    server.respondWith(errorResponse(429, 'rate_limited', { 'retry-after': '99' }));
    const error: unknown = await get()
      .then(unwrap)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfter: 99, requestId: 'req_1' });
    server.respondWith(rawResponse(500, ''));
    await expect(get().then(unwrap)).rejects.toThrow('HTTP 500');
  });
});
