/** When the client retries, and that a retry does not take effect twice. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import {
  type AgentHosting,
  ConflictError,
  ConnectionError,
  createClient,
  RateLimitedError,
  ServerError,
  UpstreamError,
} from '../../client/src/index.js';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { eventually } from '../helpers/eventually.js';
import { useClientTimers } from './client-timers.js';
import {
  type Responder,
  disconnect,
  disconnectInBody,
  dataResponse,
  errorResponse,
  finalErrorResponse,
  rawResponse,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

type Call = (client: AgentHosting) => Promise<unknown>;

const read: Call = (client) => client.agents.get('bot');
const invoke: Call = (client) => client.agents.invoke('bot', { message: 'Hello' });
const search: Call = (client) => client.memory.search('bot', { query: 'refund' });
const invokeStreamed: Call = (client) =>
  client.agents.invoke('bot', { message: 'Hello' }, { stream: true }).result();
const invokeAsync: Call = (client) =>
  client.agents.invokeAsync('bot', { message: 'Hello' }).result();
const plainInvoke: Call = () =>
  createClient({ apiKey: 'key', baseUrl: server.url }).POST('/v1/agents/{agent_id}/invoke', {
    params: { path: { agent_id: 'bot' } },
    body: { message: 'Hello' },
  });
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

describe('A permanent failure is not retried:', () => {
  /** How often a request is sent if every attempt fails with this cause. */
  async function attemptsWith(cause: object): Promise<number> {
    let count = 0;
    const fetch = () => {
      count += 1;
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const call = read(server.client({ fetch, timeout: 0 }));
    await expect(call).rejects.toThrow(ConnectionError);
    return count;
  }

  test.each([
    'ENOTFOUND',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ])('%s', async (code) => {
    expect(await attemptsWith(Object.assign(new Error('It failed'), { code }))).toBe(1);
  });

  test('a port that fetch blocks', async () => {
    const { fetch } = globalThis;
    let count = 0;
    const counted: typeof fetch = (...args) => {
      count += 1;
      return fetch(...args);
    };
    const call = read(server.client({ baseUrl: 'http://127.0.0.1:1', fetch: counted }));
    await expect(call).rejects.toThrow('No response from 127.0.0.1:1: bad port.');
    expect(count).toBe(1);
  });

  test('a certificate that is not trusted, which the error names', async () => {
    const { cert, key } = createAuthority('Unknown').issue({ name: 'a', hosts: ['127.0.0.1'] });
    const secure = createServer({ cert, key });
    let connections = 0;
    secure.on('connection', () => (connections += 1));
    secure.listen(0, '127.0.0.1');
    await once(secure, 'listening');
    const { port } = secure.address() as AddressInfo;
    const baseUrl = `https://127.0.0.1:${port}`;
    try {
      const call = read(server.client({ baseUrl }));
      await expect(call).rejects.toThrow(/^No response from 127\.0\.0\.1:\d+: .*certificate/);
      expect(connections).toBe(1);
    } finally {
      secure.close();
    }
  });

  test('a header that cannot be sent, whose value is not shown', async () => {
    server.respondWith(dataResponse());
    const options = { headers: { 'X-Token': 'secret\nsecret' } };
    const error: unknown = await server
      .client()
      .agents.get('bot', options)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toHaveProperty('message', expect.stringContaining('The header X-Token'));
    expect(inspect(error)).not.toContain('secret');
    expect(server.received).toEqual([]);
  });

  test.each([
    [429, 'rate_limited'],
    [500, 'server_error'],
    [502, 'upstream_error'],
    [503, 'unavailable'],
    [504, 'timeout'],
  ])('an error %d that says that it is not retryable', async (status, code) => {
    const respond = finalErrorResponse(status, code);
    expect(await attempts(read, respond)).toBe(1);
    expect(await attempts(invoke, respond)).toBe(1);
    expect(await attempts(update, respond)).toBe(1);
    expect(await attempts(invokeAsync, respond)).toBe(1);
    expect(await attempts(invokeStreamed, respond)).toBe(1);
    expect(await attempts(plainInvoke, respond)).toBe(1);
  });

  test('a conflict that says that it is not retryable, although it has Retry-After', async () => {
    expect(await attempts(invoke, finalErrorResponse(409, 'conflict'))).toBe(1);
  });

  test('a replayed response', async () => {
    const replayed = errorResponse(502, 'upstream_error', { 'idempotency-replayed': 'true' });
    expect(await attempts(invoke, replayed)).toBe(1);
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
  test.each([
    ['an empty body', '', 'text/plain'],
    ['the page of a proxy', '<h1>Bad gateway</h1>', 'text/html'],
    ['JSON of another shape', '["retryable", false]', 'application/json'],
    ['a string as its error', '{"error": "retryable"}', 'application/json'],
  ])('of a 502 with %s are not prevented by its body', async (_name, body, type) => {
    server.respondWith(rawResponse(502, body, { 'content-type': type, 'retry-after': '0' }));
    await expect(invoke(server.client())).rejects.toThrow(UpstreamError);
    expect(server.received).toHaveLength(3);
  });

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

  test('do not wait longer than a minute; the call rejects instead', async () => {
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

  test('doubles from half a second to eight seconds, minus up to 50 % jitter', async () => {
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

  test('of a request that is still running after all retries causes a ConflictError', async () => {
    server.respondWith(errorResponse(409, 'conflict', { 'retry-after': '0' }));
    await expect(invoke(server.client())).rejects.toThrow(ConflictError);
    expect(server.received).toHaveLength(3);
  });
});
