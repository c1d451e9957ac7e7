/** Streamed invocations: the pieces and the result arrive however the network splits them, or the call rejects. */
import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import {
  ApiError,
  ConnectionError,
  ConnectionTimeoutError,
  InvalidResponseError,
  type InvocationStream,
  NotFoundError,
  ServerError,
  TimeoutError,
  UnavailableError,
  UpstreamError,
} from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { useClientTimers } from './client-timers.js';
import {
  disconnect,
  dataResponse,
  serverSentEvent,
  eventStream,
  errorResponse,
  rawResponse,
  startStubServer,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

const result = { response: 'Hello you', request_id: 'req_1', tokens_used: 4, duration_ms: 12 };
const hello = serverSentEvent('delta', { text: 'Hello ' });
const you = serverSentEvent('delta', { text: 'you' });
const done = serverSentEvent('done', result);

function open(options: { timeout?: number; signal?: AbortSignal } = {}): InvocationStream {
  const client = server.client({ maxRetries: 0 });
  return client.agents.invoke('bot', { message: 'Hi' }, { stream: true, ...options });
}

async function textOf(stream: InvocationStream): Promise<string> {
  let whole = '';
  for await (const { text } of stream) whole += text;
  return whole;
}

describe('A stream', () => {
  test('yields its pieces, then its result', async () => {
    server.respondWith(eventStream([hello, you, done], 'end'));
    const stream = open();
    expect(await textOf(stream)).toBe('Hello you');
    expect(await stream.result()).toEqual(result);
    expect(server.received).toMatchObject([{ headers: { accept: 'text/event-stream' } }]);
  });

  test('has its result without its pieces being read', async () => {
    server.respondWith(eventStream([hello, you, done], 'end'));
    expect(await open().result()).toEqual(result);
  });

  test('is not requested before it is read', async () => {
    server.respondWith(eventStream([done], 'end'));
    open();
    const stream = open();
    await stream.result();
    expect(server.received).toHaveLength(1);
  });

  test.each([1, 2, 3, 7])('is decoded from chunks of %d bytes', async (size) => {
    const text = 'Grüße 👋 \u2028 "\\n" 世界';
    const bytes = new TextEncoder().encode(
      `: ping\n\n${serverSentEvent('delta', { text })}: ping\n\n${serverSentEvent('later', { new: true })}${done}`,
    );
    const count = Math.ceil(bytes.length / size);
    const pieces = Array.from({ length: count }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    server.respondWith(eventStream(pieces, 'end'));
    const stream = open();
    expect(await textOf(stream)).toBe(text);
    expect(await stream.result()).toEqual(result);
  });

  test('releases its connection for the next call', async () => {
    // A separate server, to which there are no other connections.
    const other = await startStubServer();
    other.respondWith(eventStream([hello, done], 'end'), dataResponse());
    const client = other.client();
    await client.agents.invoke('bot', { message: 'Hi' }, { stream: true }).result();
    // The connection returns to the pool in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await client.agents.get('bot');
    const [first, second] = other.received;
    expect(second?.socket === first?.socket).toBe(true);
    await other.stop();
  });

  test('is retried before it has begun, with the same key', async () => {
    server.respondWith(
      disconnect,
      errorResponse(503, 'unavailable'),
      eventStream([hello, you, done], 'end'),
    );
    const client = server.client();
    const stream = client.agents.invoke('bot', { message: 'Hi' }, { stream: true });
    expect(await textOf(stream)).toBe('Hello you');
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('of a request that has already completed yields the stored response', async () => {
    server.respondWith(dataResponse(result));
    const stream = open();
    expect(await textOf(stream)).toBe('Hello you');
    expect(await stream.result()).toEqual(result);
  });
});

describe('A stream whose first event is an error', () => {
  const firstError = (code: string, fields: object = {}) =>
    eventStream([': ping\n\n', serverSentEvent('error', { code, ...fields }, 'req_1.1')], 'end');
  const unavailable = firstError('unavailable', { retry_after: 0 });
  const answer = eventStream([hello, you, done], 'end');
  const openWithRetries = (options: { maxRetries?: number } = {}) =>
    server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true, ...options });

  test.each(['rate_limited', 'server_error', 'upstream_error', 'unavailable', 'timeout'])(
    'such as %s is sent again with the same key, from its beginning',
    async (code) => {
      server.respondWith(firstError(code, { retry_after: 0 }), answer);
      const stream = openWithRetries();
      expect(await textOf(stream)).toBe('Hello you');
      expect(await stream.result()).toEqual(result);
      const [first, second, ...others] = server.received;
      expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
      expect(second?.headers['last-event-id']).toBeUndefined();
      expect(second?.body).toBe(first?.body);
      expect(others).toEqual([]);
    },
  );

  test.each([
    ['is not retryable', firstError('upstream_error', { retryable: false })],
    ['no retry would change', firstError('payload_too_large')],
    ['asks for too long a pause', firstError('rate_limited', { retry_after: 61 })],
  ])('that %s is not sent again', async (_name, respond) => {
    server.respondWith(respond, answer);
    await expect(openWithRetries().result()).rejects.toThrow(ApiError);
    expect(server.received).toHaveLength(1);
  });

  test('is sent again maxRetries times, however the attempts failed', async () => {
    server.respondWith(unavailable);
    const stream = openWithRetries();
    await stream.withResponse();
    await expect(stream.result()).rejects.toThrow(UnavailableError);
    expect(server.received).toHaveLength(3);

    server.respondWith(errorResponse(503, 'unavailable'), unavailable);
    const retriedBefore = openWithRetries();
    await retriedBefore.withResponse();
    await expect(retriedBefore.result()).rejects.toThrow(UnavailableError);
    expect(server.received).toHaveLength(3);

    server.respondWith(unavailable, errorResponse(503, 'unavailable'));
    await expect(openWithRetries().result()).rejects.toThrow(UnavailableError);
    expect(server.received).toHaveLength(3);

    server.respondWith(unavailable);
    await expect(openWithRetries({ maxRetries: 0 }).result()).rejects.toThrow(UnavailableError);
    expect(server.received).toHaveLength(1);
  });

  test.each(['upstream_error', 'timeout'])(
    'such as %s is not sent again if anything came before it',
    async (code) => {
      const call = { call_id: 'call_1', name: 'refund', status: 'started' };
      const tool = serverSentEvent('tool', call, 'req_1.1');
      const failed = serverSentEvent('error', { code, retry_after: 0 }, 'req_1.2');
      const text = serverSentEvent('delta', { text: 'Hello ' }, 'req_1.1');
      for (const event of [tool, text]) {
        server.respondWith(eventStream([event, failed], 'end'), answer);
        await expect(openWithRetries().result()).rejects.toThrow(ApiError);
        expect(server.received).toHaveLength(1);
      }
    },
  );
});

describe('The time-out of a stream', () => {
  const timers = useClientTimers();

  /** Waits until the client has set that many timers: for the attempt, for the response, and for each chunk of it. */
  const waitForTimers = (count: number) =>
    eventually(() => {
      expect(timers.delays()).toHaveLength(count);
    });

  test('ends it when it is idle for too long', async () => {
    server.respondWith(eventStream([hello], 'hang'));
    const rejected = expect(textOf(open({ timeout: 150 }))).rejects.toThrow(ConnectionTimeoutError);
    await waitForTimers(3);
    timers.advance(150);
    await rejected;
  });

  test('starts over with everything that arrives, including pings', async () => {
    const responses: ServerResponse[] = [];
    server.respondWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      responses.push(response);
    });
    const completed = open({ timeout: 500 }).result();
    await server.waitForRequests(1);
    for (const ping of [1, 2, 3]) {
      responses[0]?.write(': ping\n\n');
      await waitForTimers(2 + ping);
      timers.advance(400);
    }
    responses[0]?.end(done);
    expect(await completed).toEqual(result);
  });

  test('ends it after its result if the server does not close it', async () => {
    server.respondWith(eventStream([hello, done], 'hang'));
    const completed = open().result();
    await eventually(() => {
      expect(timers.delays().at(-1)).toBe(1_000);
    });
    timers.advance(1_000);
    expect(await completed).toEqual(result);
    await server.waitForDisconnect();
  });
});

describe('Leaving a stream', () => {
  test('by break closes its connection, and there is no result', async () => {
    server.respondWith(eventStream([hello], 'hang'));
    const stream = open();
    for await (const { text } of stream) {
      expect(text).toBe('Hello ');
      break;
    }
    await server.waitForDisconnect();
    await expect(stream.result()).rejects.toThrow(ConnectionError);
  });

  test('by its signal rejects with the reason', async () => {
    server.respondWith(eventStream([hello], 'hang'));
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const pieces = open({ signal: controller.signal })[Symbol.asyncIterator]();
    expect(await pieces.next()).toMatchObject({ value: { text: 'Hello ' } });
    controller.abort(reason);
    await expect(pieces.next()).rejects.toBe(reason);
    await server.waitForDisconnect();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('A stream that fails', () => {
  test.each([
    ['is disconnected', eventStream([hello], 'disconnect')],
    ['ends too early', eventStream([hello], 'end')],
    [
      'is disconnected within an event',
      eventStream([hello, 'event: delta\ndata: {"te'], 'disconnect'),
    ],
    ['ends within an event', eventStream([hello, 'event: done\ndata: {}'], 'end')],
    [
      'has an event that is not JSON',
      eventStream([hello, 'event: delta\ndata: {"te\n\n', done], 'end'),
    ],
  ])(
    'because it %s is a ConnectionError, after the pieces that arrived',
    async (_name, respond) => {
      server.respondWith(respond);
      const pieces: string[] = [];
      const read = async () => {
        for await (const { text } of open()) pieces.push(text);
      };
      await expect(read()).rejects.toThrow(ConnectionError);
      expect(pieces).toEqual(['Hello ']);
      expect(server.received).toHaveLength(1);
    },
  );

  test('because the agent failed rejects with the error of the service', async () => {
    const error = (code: string) => serverSentEvent('error', { code, message: 'It failed.' });
    server.respondWith(eventStream([hello, error('upstream_error')], 'end'));
    const failed: unknown = await textOf(open()).catch((reason: unknown) => reason);
    expect(failed).toBeInstanceOf(UpstreamError);
    expect(failed).toMatchObject({ status: 502, code: 'upstream_error', requestId: 'req_1' });

    server.respondWith(eventStream([hello, error('timeout')], 'end'));
    await expect(open().result()).rejects.toThrow(TimeoutError);
    server.respondWith(eventStream([serverSentEvent('error', null)], 'end'));
    await expect(open().result()).rejects.toThrow(ServerError);
  });

  test('rejects its result with the same error', async () => {
    server.respondWith(
      eventStream([hello, serverSentEvent('error', { code: 'upstream_error' })], 'end'),
    );
    const stream = open();
    const failed: unknown = await textOf(stream).catch((reason: unknown) => reason);
    await expect(stream.result()).rejects.toBe(failed);

    server.respondWith(errorResponse(404, 'not_found'));
    const none = open();
    await expect(textOf(none)).rejects.toThrow(NotFoundError);
    await expect(none.result()).rejects.toThrow(NotFoundError);
  });

  test('before it began rejects like any call', async () => {
    server.respondWith(errorResponse(404, 'not_found'));
    await expect(textOf(open())).rejects.toThrow(NotFoundError);
    server.respondWith(rawResponse(200, 'hello', { 'content-type': 'text/plain' }));
    await expect(textOf(open())).rejects.toThrow(InvalidResponseError);
    server.respondWith(rawResponse(200, '', { 'content-type': 'text/plain' }));
    await expect(textOf(open())).rejects.toThrow(InvalidResponseError);
    server.respondWith(rawResponse(503, done, { 'content-type': 'text/event-stream' }));
    await expect(textOf(open())).rejects.toThrow(UnavailableError);
  });
});
