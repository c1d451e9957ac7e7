/** A streamed invocation: its pieces and its result arrive whatever the network does to them, or the caller learns why not. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
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
import {
  cut,
  data,
  event,
  events,
  failing,
  type HostileServer,
  raw,
  startHostileServer,
} from './hostile-server.js';

let server: HostileServer;

beforeAll(async () => {
  server = await startHostileServer();
});

afterAll(() => server.stop());

const result = { response: 'Hello you', request_id: 'req_1', tokens_used: 4, duration_ms: 12 };
const hello = event('delta', { text: 'Hello ' });
const you = event('delta', { text: 'you' });
const done = event('done', result);

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
  test('gives its pieces, then its result', async () => {
    server.will(events([hello, you, done], 'end'));
    const stream = open();
    expect(await textOf(stream)).toBe('Hello you');
    expect(await stream.result()).toEqual(result);
    expect(server.received).toMatchObject([{ headers: { accept: 'text/event-stream' } }]);
  });

  test('gives its result to who does not care for the pieces', async () => {
    server.will(events([hello, you, done], 'end'));
    expect(await open().result()).toEqual(result);
  });

  test('is not opened before somebody reads it', async () => {
    server.will(events([done], 'end'));
    open();
    const stream = open();
    await stream.result();
    expect(server.received).toHaveLength(1);
  });

  test.each([1, 2, 3, 7])('survives being cut into pieces of %d bytes', async (size) => {
    const text = 'Grüße 👋 \u2028 "\\n" 世界';
    const bytes = new TextEncoder().encode(
      `: ping\n\n${event('delta', { text })}: ping\n\n${event('later', { new: true })}${done}`,
    );
    const count = Math.ceil(bytes.length / size);
    const pieces = Array.from({ length: count }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    server.will(events(pieces, 'end'));
    const stream = open();
    expect(await textOf(stream)).toBe(text);
    expect(await stream.result()).toEqual(result);
  });

  test('leaves its connection to the next call', async () => {
    // A server of its own, to which there are no other connections.
    const other = await startHostileServer();
    other.will(events([hello, done], 'end'), data());
    const client = other.client();
    await client.agents.invoke('bot', { message: 'Hi' }, { stream: true }).result();
    // The pool takes a turn to notice that the connection is free.
    await new Promise((resolve) => setImmediate(resolve));
    await client.agents.get('bot');
    const [first, second] = other.received;
    expect(second?.socket === first?.socket).toBe(true);
    await other.stop();
  });

  test('has its result even if the server forgets to end it', async () => {
    server.will(events([hello, done], 'hang'));
    const stream = open();
    expect(await stream.result()).toEqual(result);
    await eventually(() => {
      expect(server.received[0]?.socket.destroyed).toBe(true);
    });
  });

  test('is repeated while it has not begun, with the same key', async () => {
    server.will(cut, failing(503, 'unavailable'), events([hello, you, done], 'end'));
    const client = server.client();
    const stream = client.agents.invoke('bot', { message: 'Hi' }, { stream: true });
    expect(await textOf(stream)).toBe('Hello you');
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('of a request that was answered before gives the stored answer', async () => {
    server.will(data(result));
    const stream = open();
    expect(await textOf(stream)).toBe('Hello you');
    expect(await stream.result()).toEqual(result);
  });
});

describe('Leaving a stream', () => {
  test('by break closes its connection; there is no result then', async () => {
    server.will(events([hello], 'hang'));
    const stream = open();
    for await (const { text } of stream) {
      expect(text).toBe('Hello ');
      break;
    }
    await eventually(() => {
      expect(server.received[0]?.socket.destroyed).toBe(true);
    });
    await expect(stream.result()).rejects.toThrow(ConnectionError);
  });

  test('by its signal rejects with the reason', async () => {
    server.will(events([hello], 'hang'));
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const pieces = open({ signal: controller.signal })[Symbol.asyncIterator]();
    expect(await pieces.next()).toMatchObject({ value: { text: 'Hello ' } });
    controller.abort(reason);
    await expect(pieces.next()).rejects.toBe(reason);
    await eventually(() => {
      expect(server.received[0]?.socket.destroyed).toBe(true);
    });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('A stream that breaks', () => {
  test.each([
    ['is cut', events([hello], 'cut')],
    ['ends too early', events([hello], 'end')],
    ['is cut within an event', events([hello, 'event: delta\ndata: {"te'], 'cut')],
    ['ends within an event', events([hello, 'event: done\ndata: {}'], 'end')],
    ['has an event that is no JSON', events([hello, 'event: delta\ndata: {"te\n\n', done], 'end')],
  ])('because it %s is a ConnectionError, after the pieces that came', async (_name, answer) => {
    server.will(answer);
    const pieces: string[] = [];
    const read = async () => {
      for await (const { text } of open()) pieces.push(text);
    };
    await expect(read()).rejects.toThrow(ConnectionError);
    expect(pieces).toEqual(['Hello ']);
    expect(server.received).toHaveLength(1);
  });

  test('because it is silent for too long is a time-out; pings keep it alive', async () => {
    server.will(events([hello], 'hang'));
    await expect(textOf(open({ timeout: 150 }))).rejects.toThrow(ConnectionTimeoutError);

    const slow = (response: Parameters<typeof cut>[0]) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let pings = 0;
      const timer = setInterval(() => {
        pings += 1;
        response.write(': ping\n\n');
        if (pings < 8) return;
        clearInterval(timer);
        response.end(done);
      }, 100);
    };
    server.will(slow);
    expect(await open({ timeout: 500 }).result()).toEqual(result);
  });

  test('because the agent failed is the error of the service', async () => {
    const error = (code: string) => event('error', { code, message: 'It failed.' });
    server.will(events([hello, error('upstream_error')], 'end'));
    const failed: unknown = await textOf(open()).catch((reason: unknown) => reason);
    expect(failed).toBeInstanceOf(UpstreamError);
    expect(failed).toMatchObject({ status: 502, code: 'upstream_error', requestId: 'req_1' });

    server.will(events([hello, error('timeout')], 'end'));
    await expect(open().result()).rejects.toThrow(TimeoutError);
    server.will(events([event('error', null)], 'end'));
    await expect(open().result()).rejects.toThrow(ServerError);
  });

  test('has that error for its result too', async () => {
    server.will(events([hello, event('error', { code: 'upstream_error' })], 'end'));
    const stream = open();
    const failed: unknown = await textOf(stream).catch((reason: unknown) => reason);
    await expect(stream.result()).rejects.toBe(failed);

    server.will(failing(404, 'not_found'));
    const none = open();
    await expect(textOf(none)).rejects.toThrow(NotFoundError);
    await expect(none.result()).rejects.toThrow(NotFoundError);
  });

  test('before it began is an ordinary error', async () => {
    server.will(failing(404, 'not_found'));
    await expect(textOf(open())).rejects.toThrow(NotFoundError);
    server.will(raw(200, 'hello', { 'content-type': 'text/plain' }));
    await expect(textOf(open())).rejects.toThrow(InvalidResponseError);
    server.will(raw(200, '', { 'content-type': 'text/plain' }));
    await expect(textOf(open())).rejects.toThrow(InvalidResponseError);
    server.will(raw(503, done, { 'content-type': 'text/event-stream' }));
    await expect(textOf(open())).rejects.toThrow(UnavailableError);
  });
});
