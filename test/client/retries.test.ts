/** When the client retries, when it does not, and that a retry does not take effect twice. */
import { describe, expect, test } from '@jest/globals';
import {
  type AgentHosting,
  ConflictError,
  ConnectionError,
  RateLimitedError,
  ServerError,
} from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { useClientTimers } from './client-timers.js';
import {
  type Responder,
  disconnect,
  disconnectInBody,
  dataResponse,
  errorResponse,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

type Call = (client: AgentHosting) => Promise<unknown>;

const read: Call = (client) => client.agents.get('bot');
const invoke: Call = (client) => client.agents.invoke('bot', { message: 'Hello' });
const search: Call = (client) => client.memory.search('bot', { query: 'refund' });
const update: Call = (client) => client.agents.update('bot', { temperature: 1 });
const remove: Call = (client) => client.agents.delete('bot');

/** How many requests a call sends if this is the response to the first one. */
async function attempts(call: Call, first: Responder): Promise<number> {
  server.respondWith(first, dataResponse({ id: 'agent_1' }));
  await call(server.client()).catch(() => undefined);
  return server.received.length;
}

const transientFailures: [string, Responder][] = [
  ['408', errorResponse(408, 'request_timeout')],
  ['429', errorResponse(429, 'rate_limited')],
  ['500', errorResponse(500, 'server_error')],
  ['502', errorResponse(502, 'upstream_error')],
  ['503', errorResponse(503, 'unavailable')],
  ['504', errorResponse(504, 'timeout')],
  ['a closed connection', disconnect],
  ['an incomplete body', disconnectInBody],
];

describe('A repeatable request', () => {
  test.each(transientFailures)('is sent again after %s', async (_name, respond) => {
    expect(await attempts(read, respond)).toBe(2);
    expect(await attempts(invoke, respond)).toBe(2);
    expect(await attempts(search, respond)).toBe(2);
  });

  test.each([400, 401, 403, 404, 405, 409, 413, 415, 422])(
    'is not sent again after %d',
    async (status) => {
      const respond = errorResponse(status, 'some_code', { 'retry-after': '' });
      expect(await attempts(read, respond)).toBe(1);
      expect(await attempts(invoke, respond)).toBe(1);
    },
  );

  test('is sent again after a conflict with Retry-After: the first request with its key is still running', async () => {
    expect(await attempts(invoke, errorResponse(409, 'conflict', { 'retry-after': '0' }))).toBe(2);
  });
});

describe('A request that could take effect twice', () => {
  test.each(transientFailures)(
    'is not sent again after %s, unless it had no effect',
    async (name, respond) => {
      const expected = name === '429' ? 2 : 1;
      expect(await attempts(update, respond)).toBe(expected);
      expect(await attempts(remove, respond)).toBe(expected);
    },
  );
});

describe('Retries', () => {
  test('end after maxRetries, of the call or of the client, with the last error', async () => {
    server.respondWith(errorResponse(500, 'server_error'));
    await expect(read(server.client())).rejects.toThrow(ServerError);
    expect(server.received).toHaveLength(3);

    server.respondWith(errorResponse(500, 'server_error'));
    await expect(read(server.client({ maxRetries: 0 }))).rejects.toThrow(ServerError);
    expect(server.received).toHaveLength(1);

    server.respondWith(errorResponse(500, 'server_error'));
    const client = server.client({ maxRetries: 0 });
    await expect(client.agents.get('bot', { maxRetries: 4 })).rejects.toThrow(ServerError);
    expect(server.received).toHaveLength(5);

    server.respondWith(disconnect);
    await expect(read(server.client({ maxRetries: 1 }))).rejects.toThrow(ConnectionError);
    expect(server.received).toHaveLength(2);
  });

  test('do not wait for longer than a minute; the call rejects instead', async () => {
    server.respondWith(errorResponse(429, 'rate_limited', { 'retry-after': '61' }));
    const error: unknown = await read(server.client()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfter: 61 });
    expect(server.received).toHaveLength(1);
  });
});

describe('The pause before a retry', () => {
  const timers = useClientTimers();

  async function waitForPauses(count: number): Promise<void> {
    await eventually(() => {
      expect(timers.delays()).toHaveLength(count);
    });
  }

  test('is as long as the service asks for', async () => {
    const unavailable = errorResponse(503, 'unavailable', { 'retry-after': '7' });
    server.respondWith(unavailable, dataResponse());
    // Without a time-out, the pauses are the only timers.
    const call = read(server.client({ timeout: 0 }));
    await waitForPauses(1);
    expect(timers.delays()).toEqual([7_000]);
    expect(server.received).toHaveLength(1);
    timers.advance(7_000);
    await call;
    expect(server.received).toHaveLength(2);
  });

  test('doubles from half a second to eight seconds, less up to half of it at random', async () => {
    server.respondWith(disconnect);
    const call = read(server.client({ timeout: 0, maxRetries: 6 }));
    const rejected = expect(call).rejects.toThrow(ConnectionError);
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 8_000];
    for (const [index, ms] of longest.entries()) {
      await waitForPauses(index + 1);
      timers.advance(ms);
    }
    await rejected;
    const shares = timers.delays().map((ms, index) => Number(ms) / (longest[index] ?? 0));
    for (const share of shares) {
      expect(share).toBeGreaterThanOrEqual(0.5);
      expect(share).toBeLessThanOrEqual(1);
    }
  });
});

describe('The Idempotency-Key', () => {
  const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

  test('is the same in every attempt of a call, and differs between calls', async () => {
    server.respondWith(errorResponse(500, 'server_error'), disconnect, dataResponse());
    await invoke(server.client());
    const [first, ...others] = keys();
    expect(others).toEqual([first, first]);
    expect(first).toMatch(/^[!-~]{20,255}$/);

    server.respondWith(dataResponse());
    await invoke(server.client());
    expect(keys()).not.toContain(first);
  });

  test('can be chosen, and is sent with every POST but with no other request', async () => {
    server.respondWith(dataResponse());
    const client = server.client();
    await client.deployments.create(
      'bot',
      { environment: 'production', version: '1' },
      { idempotencyKey: 'mine' },
    );
    await client.deployments.rollback('bot', 'dep_1');
    await client.webhooks.create({ url: 'https://a.example', events: ['agent.failed'] });
    await client.keys.create({ name: 'a', permissions: ['read'] });
    await client.agents.invokeAsync('bot', { message: 'Hello' });
    expect(keys()).toEqual([
      'mine',
      ...Array<unknown>(4).fill(expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)),
    ]);

    server.respondWith(dataResponse());
    await read(client);
    await update(client);
    await remove(client);
    expect(keys()).toEqual([undefined, undefined, undefined]);
  });

  test('of a request that still runs after all retries is a conflict', async () => {
    server.respondWith(errorResponse(409, 'conflict', { 'retry-after': '0' }));
    await expect(invoke(server.client())).rejects.toThrow(ConflictError);
    expect(server.received).toHaveLength(3);
  });
});
