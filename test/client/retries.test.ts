/** When the client tries again, when it does not, and that trying again does no harm. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AgentHosting,
  ConflictError,
  ConnectionError,
  RateLimitedError,
  ServerError,
} from '../../client/src/index.js';
import {
  type Answer,
  cut,
  cutBody,
  data,
  failing,
  type HostileServer,
  startHostileServer,
} from './hostile-server.js';

let server: HostileServer;

beforeAll(async () => {
  server = await startHostileServer();
});

afterAll(() => server.stop());

type Call = (client: AgentHosting) => Promise<unknown>;

const read: Call = (client) => client.agents.get('bot');
const invoke: Call = (client) => client.agents.invoke('bot', { message: 'Hello' });
const search: Call = (client) => client.memory.search('bot', { query: 'refund' });
const update: Call = (client) => client.agents.update('bot', { temperature: 1 });
const remove: Call = (client) => client.agents.delete('bot');

/** How many requests it takes until the call is over, if the first one is answered so. */
async function attempts(call: Call, first: Answer): Promise<number> {
  server.will(first, data({ id: 'agent_1' }));
  await call(server.client()).catch(() => undefined);
  return server.received.length;
}

const passing: [string, Answer][] = [
  ['408', failing(408, 'request_timeout')],
  ['429', failing(429, 'rate_limited')],
  ['500', failing(500, 'server_error')],
  ['502', failing(502, 'upstream_error')],
  ['503', failing(503, 'unavailable')],
  ['504', failing(504, 'timeout')],
  ['a cut connection', cut],
  ['a cut body', cutBody],
];

describe('A request that can be repeated', () => {
  test.each(passing)('is sent again after %s', async (_name, answer) => {
    expect(await attempts(read, answer)).toBe(2);
    expect(await attempts(invoke, answer)).toBe(2);
    expect(await attempts(search, answer)).toBe(2);
  });

  test.each([400, 401, 403, 404, 405, 409, 413, 415, 422])(
    'is not sent again after %d',
    async (status) => {
      const answer = failing(status, 'some_code', { 'retry-after': '' });
      expect(await attempts(read, answer)).toBe(1);
      expect(await attempts(invoke, answer)).toBe(1);
    },
  );

  test('is sent again after a conflict that asks to wait: the first request with its key is still running', async () => {
    expect(await attempts(invoke, failing(409, 'conflict', { 'retry-after': '0' }))).toBe(2);
  });
});

describe('A request whose effect a repeat could double', () => {
  test.each(passing)(
    'is not sent again after %s, unless nothing happened',
    async (name, answer) => {
      const expected = name === '429' ? 2 : 1;
      expect(await attempts(update, answer)).toBe(expected);
      expect(await attempts(remove, answer)).toBe(expected);
    },
  );
});

describe('The retries', () => {
  test('end after maxRetries, of the call or of the client, with the last error', async () => {
    server.will(failing(500, 'server_error'));
    await expect(read(server.client())).rejects.toThrow(ServerError);
    expect(server.received).toHaveLength(3);

    server.will(failing(500, 'server_error'));
    await expect(read(server.client({ maxRetries: 0 }))).rejects.toThrow(ServerError);
    expect(server.received).toHaveLength(1);

    server.will(failing(500, 'server_error'));
    const client = server.client({ maxRetries: 0 });
    await expect(client.agents.get('bot', { maxRetries: 4 })).rejects.toThrow(ServerError);
    expect(server.received).toHaveLength(5);

    server.will(cut);
    await expect(read(server.client({ maxRetries: 1 }))).rejects.toThrow(ConnectionError);
    expect(server.received).toHaveLength(2);
  });

  test('wait for as long as the service asks', async () => {
    server.will(failing(503, 'unavailable', { 'retry-after': '1' }), data());
    const start = performance.now();
    await read(server.client());
    expect(performance.now() - start).toBeGreaterThan(950);
    expect(server.received).toHaveLength(2);
  });

  test('wait a while by themselves where the service asks for nothing', async () => {
    server.will(cut, data());
    const start = performance.now();
    await read(server.client());
    expect(performance.now() - start).toBeGreaterThan(240);
  });

  test('do not wait for longer than a minute; the caller is told instead', async () => {
    server.will(failing(429, 'rate_limited', { 'retry-after': '61' }));
    const error: unknown = await read(server.client()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfter: 61 });
    expect(server.received).toHaveLength(1);
  });
});

describe('The Idempotency-Key', () => {
  const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

  test('is the same in every attempt of a call, and another one in the next call', async () => {
    server.will(failing(500, 'server_error'), cut, data());
    await invoke(server.client());
    const [first, ...others] = keys();
    expect(others).toEqual([first, first]);
    expect(first).toMatch(/^[!-~]{20,255}$/);

    server.will(data());
    await invoke(server.client());
    expect(keys()).not.toContain(first);
  });

  test('can be chosen, and is sent with every POST but with no other request', async () => {
    server.will(data());
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

    server.will(data());
    await read(client);
    await update(client);
    await remove(client);
    expect(keys()).toEqual([undefined, undefined, undefined]);
  });

  test('that was chosen and still runs at the end of all retries is a conflict', async () => {
    server.will(failing(409, 'conflict', { 'retry-after': '0' }));
    await expect(invoke(server.client())).rejects.toThrow(ConflictError);
    expect(server.received).toHaveLength(3);
  });
});
