/** The plain level: openapi-fetch with the key, the retries and the time-outs of the SDK. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ConnectionTimeoutError,
  createClient,
  NotFoundError,
  type PlainClient,
  RateLimitedError,
  unwrap,
} from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import {
  cut,
  cutBody,
  data,
  event,
  events,
  failing,
  hang,
  type HostileServer,
  raw,
  startHostileServer,
} from './hostile-server.js';

let server: HostileServer;
let client: PlainClient;

beforeAll(async () => {
  server = await startHostileServer();
  client = createClient({ apiKey: 'key', baseUrl: server.url });
});

afterAll(() => server.stop());

const bot = { params: { path: { agent_id: 'bot' } } };
const get = () => client.GET('/v1/agents/{agent_id}', bot);
const invoke = () =>
  client.POST('/v1/agents/{agent_id}/invoke', { ...bot, body: { message: 'Hi' } });

describe('The plain client', () => {
  test('answers with data, or with the error, and the response', async () => {
    server.will(data({ id: 'agent_1' }));
    const success = await get();
    expect(success.data).toEqual({ success: true, data: { id: 'agent_1' } });
    expect(success.response.status).toBe(200);
    expect(server.received).toMatchObject([
      { path: '/v1/agents/bot', headers: { authorization: 'Bearer key' } },
    ]);

    server.will(failing(404, 'not_found'));
    const { data: none, error, response } = await get();
    expect(none).toBeUndefined();
    expect(error).toMatchObject({ success: false, error: { code: 'not_found' } });
    expect(response.headers.get('x-request-id')).toBe('req_1');
  });

  test('sends queries and bodies by the contract', async () => {
    server.will(data());
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
    ['503', failing(503, 'unavailable')],
    ['a cut connection', cut],
    ['a cut body', cutBody],
  ])('tries again after %s, body and Idempotency-Key being the same', async (_name, answer) => {
    server.will(answer, answer, data({ response: 'Hello' }));
    expect((await invoke()).data).toMatchObject({ data: { response: 'Hello' } });
    const sent = server.received.map(({ body, headers }) => [body, headers['idempotency-key']]);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(Array(3).fill(['{"message":"Hi"}', sent[0]?.[1]]));

    server.will(answer, data());
    await get();
    expect(server.received).toHaveLength(2);
  });

  test('ends when its time is over, and when it is aborted', async () => {
    server.will(hang);
    const hasty = createClient({ apiKey: 'k', baseUrl: server.url, timeout: 500, maxRetries: 0 });
    const late = expect(hasty.GET('/v1/agents')).rejects.toThrow(ConnectionTimeoutError);
    await eventually(() => {
      expect(server.received).toHaveLength(1);
    });
    await late;

    server.will(hang);
    const controller = new AbortController();
    const call = client.GET('/v1/agents', { signal: controller.signal });
    await eventually(() => {
      expect(server.received).toHaveLength(1);
    });
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await eventually(() => {
      expect(server.received[0]?.socket.destroyed).toBe(true);
    });
    expect(getEventListeners(controller.signal, 'abort').length).toBeLessThan(2);
  });

  test('hands on streams as they are', async () => {
    const text = event('delta', { text: 'Hello' }) + event('done', { response: 'Hello' });
    server.will(events([text], 'end'));
    const { data: stream } = await client.POST('/v1/agents/{agent_id}/invoke', {
      ...bot,
      body: { message: 'Hi' },
      headers: { accept: 'text/event-stream' },
      parseAs: 'stream',
    });
    expect(await new Response(stream).text()).toBe(text);
  });

  test('takes the middleware of openapi-fetch', async () => {
    server.will(data());
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
  test('gives the body, or throws the error that the fluent client would', async () => {
    server.will(data({ id: 'agent_1' }));
    expect(unwrap(await get())).toEqual({ success: true, data: { id: 'agent_1' } });
    server.will(failing(404, 'not_found'));
    await expect(get().then(unwrap)).rejects.toThrow(NotFoundError);
    server.will(failing(429, 'rate_limited', { 'retry-after': '99' }));
    const error: unknown = await get()
      .then(unwrap)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfter: 99, requestId: 'req_1' });
    server.will(raw(500, ''));
    await expect(get().then(unwrap)).rejects.toThrow('HTTP 500');
  });
});
