/** Streams over connections that break: they are resumed, or reject with the reason. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  agentHosting,
  ConflictError,
  ConnectionError,
  type InvocationStream,
  type InvocationStreamEvent,
  UnavailableError,
} from '../../client/src/index.js';
import { startCuttingProxy } from '../helpers/servers/cutting-proxy.js';
import { eventually } from '../helpers/eventually.js';
import { effectsOn, useServiceWithModel } from '../invocations/service-with-model.js';
import { slowCompletions } from '../helpers/model-provider/wire-formats.js';
import { useClientTimers } from './client-timers.js';
import {
  dataResponse,
  eventStream,
  jsonResponse,
  serverSentEvent,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

const result = { response: 'Hello you', request_id: 'req_1', tokens_used: 4, duration_ms: 12 };
const hello = serverSentEvent('delta', { text: 'Hello ' }, 'req_1.1');
const you = serverSentEvent('delta', { text: 'you' }, 'req_1.2');
const done = serverSentEvent('done', result, 'req_1.3');
const call = { name: 'orders_lookup', call_id: 'call_1' };

async function textOf(stream: InvocationStream): Promise<string> {
  let whole = '';
  for await (const { text } of stream) whole += text;
  return whole;
}

const lastEventIds = () => server.received.map(({ headers }) => headers['last-event-id']);

describe('a stream whose connection is lost', () => {
  const timers = useClientTimers();

  const open = (options: { maxRetries?: number; signal?: AbortSignal } = {}) =>
    server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true, ...options });

  const unknown = jsonResponse(409, {
    success: false,
    error: { code: 'conflict', message: 'The stream is unknown.' },
  });

  /** Skips the pauses between attempts while the promise is pending. */
  async function withoutPauses<Result>(promise: Promise<Result>): Promise<Result> {
    const clock = setInterval(() => {
      timers.advance(1_000);
    }, 1);
    try {
      return await promise;
    } finally {
      clearInterval(clock);
    }
  }

  test('continues after the last event, with the same key', async () => {
    server.respondWith(
      eventStream([hello, 'id: req_1.2\nevent: del'], 'disconnect'),
      eventStream([you], 'end'),
      eventStream([done], 'end'),
    );
    const stream = open();
    expect(await withoutPauses(textOf(stream))).toBe('Hello you');
    expect(await stream.result()).toEqual(result);
    expect(lastEventIds()).toEqual([undefined, 'req_1.1', 'req_1.2']);
    expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
  });

  test('before its first event is requested from the beginning', async () => {
    server.respondWith(
      eventStream([': ping\n\n'], 'disconnect'),
      eventStream([hello, you, done], 'end'),
    );
    expect(await withoutPauses(textOf(open()))).toBe('Hello you');
    expect(lastEventIds()).toEqual([undefined, undefined]);
  });

  test('repeatedly is resumed for as long as something arrives', async () => {
    const words = Array.from({ length: 12 }, (_, index) =>
      serverSentEvent('delta', { text: `${index} ` }, `req_1.${index + 1}`),
    );
    server.respondWith(
      ...words.map((word) => eventStream([word], 'disconnect')),
      eventStream([done], 'end'),
    );
    expect(await withoutPauses(textOf(open({ maxRetries: 1 })))).toBe('0 1 2 3 4 5 6 7 8 9 10 11 ');
  });

  test('and cannot be resumed is a ConnectionError after maxRetries attempts', async () => {
    server.respondWith(
      eventStream([hello], 'disconnect'),
      eventStream([': ping\n\n'], 'disconnect'),
    );
    const stream = open({ maxRetries: 3 });
    await expect(withoutPauses(textOf(stream))).rejects.toThrow(ConnectionError);
    expect(server.received).toHaveLength(4);
    await expect(stream.result()).rejects.toThrow(ConnectionError);
  });

  // Only a run that has called a tool goes on.
  const called = serverSentEvent('tool', { ...call, status: 'started' }, 'req_1.9');

  test('and that the service no longer knows is requested from its beginning', async () => {
    server.respondWith(
      eventStream([hello, called], 'disconnect'),
      unknown,
      eventStream([hello, called, you, done], 'end'),
    );
    expect(await withoutPauses(textOf(open()))).toBe('Hello you');
    expect(lastEventIds()).toEqual([undefined, 'req_1.9', undefined]);
    expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('and that cannot be had from its beginning either rejects with the error of the service', async () => {
    server.respondWith(eventStream([hello, called], 'disconnect'), unknown);
    await expect(withoutPauses(textOf(open()))).rejects.toThrow(ConflictError);
    expect(lastEventIds()).toEqual([undefined, 'req_1.9', undefined]);
  });

  test('is not resumed if its events have no ids, or if there are no retries', async () => {
    const unnamed = serverSentEvent('delta', { text: 'Hello ' });
    server.respondWith(eventStream([unnamed], 'disconnect'));
    await expect(withoutPauses(textOf(open()))).rejects.toThrow(ConnectionError);
    expect(server.received).toHaveLength(1);
    server.respondWith(eventStream([hello], 'disconnect'));
    await expect(withoutPauses(textOf(open({ maxRetries: 0 })))).rejects.toThrow(ConnectionError);
    expect(server.received).toHaveLength(1);
  });
});

describe('a stream whose instance is lost', () => {
  const lost = (fields: object = {}) =>
    serverSentEvent('error', { code: 'unavailable', retry_after: 0, ...fields }, 'req_1.9');
  const started = { ...call, status: 'started' };
  const succeeded = { ...call, status: 'succeeded', duration_ms: 120 };
  const open = (options: { maxRetries?: number } = {}) =>
    server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true, ...options });

  async function readAll(stream: InvocationStream) {
    const events: InvocationStreamEvent[] = [];
    const error: unknown = await (async () => {
      for await (const event of stream.events()) events.push(event);
    })().catch((reason: unknown) => reason);
    const seen = events.map(({ event, data }) =>
      event === 'delta' ? data.text : event === 'tool' ? data.status : event,
    );
    return { seen, error };
  }

  test('goes on with the same key, and nothing is delivered twice', async () => {
    server.respondWith(
      eventStream([hello, serverSentEvent('tool', started, 'req_1.2'), lost()], 'end'),
      eventStream(
        [
          // Cut elsewhere than the first time.
          serverSentEvent('delta', { text: 'Hel' }, 'req_2.1'),
          serverSentEvent('tool', started, 'req_2.2'),
          serverSentEvent('tool', succeeded, 'req_2.3'),
          serverSentEvent('delta', { text: 'lo you' }, 'req_2.4'),
          serverSentEvent('done', result, 'req_2.5'),
        ],
        'end',
      ),
    );
    const stream = open();
    expect(await readAll(stream)).toEqual({
      seen: ['Hello ', 'started', 'succeeded', 'you', 'done'],
      error: undefined,
    });
    expect(await stream.result()).toEqual(result);
    expect(lastEventIds()).toEqual([undefined, undefined]);
    const [first, second] = server.received;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toBe(first?.body);
  });

  test('and whose connection is lost while it repeats itself is resumed there', async () => {
    server.respondWith(
      eventStream([hello, serverSentEvent('tool', started, 'req_1.2'), lost()], 'end'),
      eventStream([serverSentEvent('delta', { text: 'Hel' }, 'req_2.1')], 'disconnect'),
      eventStream([serverSentEvent('delta', { text: 'lo you' }, 'req_2.2'), done], 'end'),
    );
    expect((await readAll(open())).seen).toEqual(['Hello ', 'started', 'you', 'done']);
    expect(lastEventIds()).toEqual([undefined, undefined, 'req_2.1']);
  });

  test('and has ended meanwhile delivers the rest of the stored response', async () => {
    const tool = serverSentEvent('tool', started, 'req_1.2');
    server.respondWith(eventStream([hello, tool, lost()], 'end'), dataResponse(result));
    expect((await readAll(open())).seen).toEqual(['Hello ', 'started', 'you', 'done']);
  });

  test.each([
    ['says something else', [serverSentEvent('delta', { text: 'Good day' }, 'req_2.1')]],
    ['ends earlier', [done]],
    [
      'calls another tool',
      [hello, serverSentEvent('tool', { ...started, name: 'refund' }, 'req_2.2'), you, done],
    ],
  ])('rejects with the first error if the repeat %s', async (_what, events) => {
    const tool = serverSentEvent('tool', started, 'req_1.2');
    server.respondWith(eventStream([hello, tool, lost()], 'end'), eventStream(events, 'hang'));
    const { seen, error } = await readAll(open());
    expect(seen).toEqual(['Hello ', 'started']);
    expect(error).toBeInstanceOf(UnavailableError);
    await eventually(() => {
      expect(server.received.map(({ socket }) => socket.destroyed)).toContain(true);
    });
    // The run is not cancelled: a call with the same key can still get its reply.
    expect(server.received).toHaveLength(2);
  });

  test('is not repeated if no tool was called, because it would begin again', async () => {
    server.respondWith(eventStream([hello, lost()], 'end'));
    expect((await readAll(open())).error).toBeInstanceOf(UnavailableError);
    expect(server.received).toHaveLength(1);
  });

  test('is not repeated if the error says so', async () => {
    server.respondWith(eventStream([hello, lost({ retryable: false })], 'end'));
    expect((await readAll(open())).error).toBeInstanceOf(UnavailableError);
    expect(server.received).toHaveLength(1);
  });

  test('is given up after maxRetries repeats that brought nothing new', async () => {
    const tool = serverSentEvent('tool', started, 'req_1.2');
    server.respondWith(eventStream([hello, tool, lost()], 'end'));
    const { seen, error } = await readAll(open({ maxRetries: 3 }));
    expect(seen).toEqual(['Hello ', 'started']);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(server.received).toHaveLength(4);
  });
});

describe('leaving a stream', () => {
  const timers = useClientTimers();

  const open = (options: { signal?: AbortSignal } = {}) =>
    server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true, ...options });

  /** Expects a second request, which cancels the invocation at once. */
  const expectCancelled = async (lastEventId: string) => {
    await server.waitForRequests(2);
    expect(server.received[1]).toMatchObject({
      headers: { 'last-event-id': lastEventId, prefer: 'cancel, grace=0' },
      body: server.received[0]?.body,
    });
    await eventually(() => {
      expect(server.received.map(({ socket }) => socket.destroyed)).toEqual([true, true]);
    });
    // No timer keeps the process alive.
    expect(timers.pending()).toBe(0);
  };

  test('by break cancels the invocation', async () => {
    server.respondWith(eventStream([hello], 'hang'));
    for await (const { text } of open()) {
      expect(text).toBe('Hello ');
      break;
    }
    await expectCancelled('req_1.1');
  });

  test('by its signal cancels the invocation, even before the first event', async () => {
    server.respondWith(eventStream([': ping\n\n'], 'hang'));
    const controller = new AbortController();
    const reading = textOf(open({ signal: controller.signal }));
    await server.waitForRequests(1);
    controller.abort(new Error('no longer wanted'));
    await expect(reading).rejects.toThrow('no longer wanted');
    await expectCancelled('0');
  });

  test('before its request is sent sends nothing', async () => {
    server.respondWith(eventStream([done], 'end'));
    await expect(textOf(open({ signal: AbortSignal.abort() }))).rejects.toThrow();
    await server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true }).result();
    expect(server.received).toHaveLength(1);
  });
});

describe('the events of a stream', () => {
  test('are the pieces, the tool calls and the result; unknown ones are left out', async () => {
    const started = { ...call, status: 'started' };
    const ended = { ...call, status: 'succeeded', duration_ms: 120 };
    server.respondWith(
      eventStream(
        [
          hello,
          serverSentEvent('tool', started, 'req_1.2'),
          serverSentEvent('surprise', {}, 'req_1.3'),
          serverSentEvent('tool', ended, 'req_1.4'),
          serverSentEvent('done', result, 'req_1.5'),
        ],
        'end',
      ),
    );
    const stream = server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true });
    const events: InvocationStreamEvent[] = [];
    for await (const event of stream.events()) events.push(event);
    expect(events).toEqual([
      { id: 'req_1.1', event: 'delta', data: { text: 'Hello ' } },
      { id: 'req_1.2', event: 'tool', data: started },
      { id: 'req_1.4', event: 'tool', data: ended },
      { id: 'req_1.5', event: 'done', data: result },
    ]);
    expect(await stream.result()).toEqual(result);
  });

  test('other than pieces are skipped when only the pieces are read', async () => {
    const tool = serverSentEvent('tool', { ...call, status: 'started' }, 'req_1.2');
    server.respondWith(eventStream([tool, hello, you, done], 'end'));
    const stream = server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true });
    expect(await textOf(stream)).toBe('Hello you');
  });
});

describe('a real service behind a network that cuts connections at random bytes', () => {
  const fixture = useServiceWithModel();
  const words = Array.from({ length: 200 }, (_, index) => `${index}-ü😀 `);
  let agentId: string;

  beforeAll(async () => {
    agentId = (await fixture.newAgent()).id;
  });

  test('delivers the whole text once, and runs the agent once', async () => {
    fixture.provider.behave(slowCompletions(words, 10));
    const other = await fixture.service.another();
    const cuts = 6;
    let left = cuts;
    const proxy = await startCuttingProxy({
      targets: [fixture.service.url, other.url],
      // Enough for the headers and some events, but not for the last one, which has the whole text.
      bytesUntilCut: () => {
        left -= 1;
        return left < 0 ? Infinity : 700 + Math.floor(Math.random() * 1_500);
      },
    });
    const client = agentHosting({ apiKey: fixture.tenant.key, baseUrl: proxy.url, maxRetries: 10 });
    const stream = client.agents.invoke(agentId, { message: 'Count' }, { stream: true });
    expect(await textOf(stream)).toBe(words.join(''));
    expect((await stream.result()).response).toBe(words.join(''));
    expect(proxy.cuts()).toBe(cuts);
    await proxy.stop();
    await eventually(async () => {
      expect(await effectsOn(fixture.service, agentId)).toEqual({ invocations: 1, memories: 2 });
    });
    expect(fixture.provider.received).toHaveLength(1);
  });
});
