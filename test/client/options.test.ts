/** The options of a client, and their defaults. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { agentHosting, type Middleware, withMiddleware } from '../../client/src/index.js';
import { disconnect, dataResponse, errorResponse, useStubServer } from './stub-server.js';

const server = useStubServer();

const variables = ['AGENT_HOSTING_API_KEY', 'AGENT_HOSTING_BASE_URL'] as const;
const before = variables.map((name) => process.env[name]);
const processBefore = Object.getOwnPropertyDescriptor(globalThis, 'process') ?? {};

afterEach(() => {
  Object.defineProperty(globalThis, 'process', processBefore);
  variables.forEach((name, index) => {
    set(name, before[index]);
  });
});

function set(name: (typeof variables)[number], value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

const last = () => server.received.at(-1);

describe('The API key', () => {
  test('comes from the environment by default', async () => {
    server.respondWith(dataResponse());
    set('AGENT_HOSTING_API_KEY', 'from-environment');
    await agentHosting({ baseUrl: server.url }).agents.get('bot');
    expect(last()?.headers.authorization).toBe('Bearer from-environment');
    await agentHosting({ baseUrl: server.url, apiKey: 'given' }).agents.get('bot');
    expect(last()?.headers.authorization).toBe('Bearer given');
  });

  test('that is missing is an error that says what to do, also without a process object', () => {
    const message = 'Set apiKey or AGENT_HOSTING_API_KEY.';
    set('AGENT_HOSTING_API_KEY', undefined);
    expect(() => agentHosting()).toThrow(message);
    set('AGENT_HOSTING_API_KEY', '');
    expect(() => agentHosting()).toThrow(message);
    expect(() => agentHosting({ apiKey: '' })).toThrow(message);
    for (const value of [undefined, {}]) {
      Object.defineProperty(globalThis, 'process', { ...processBefore, value });
      expect(() => agentHosting()).toThrow(message);
      expect(agentHosting({ apiKey: 'given' })).toHaveProperty('agents');
    }
  });

  test('can be a function, which is called before each attempt', async () => {
    server.respondWith(errorResponse(503, 'unavailable'), disconnect, dataResponse());
    let count = 0;
    const apiKey = () => Promise.resolve(`key-${(count += 1)}`);
    await server.client({ apiKey }).agents.get('bot');
    const sent = server.received.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(['Bearer key-1', 'Bearer key-2', 'Bearer key-3']);
  });

  test('rejects the call if its function fails, and nothing is sent', async () => {
    server.respondWith(dataResponse());
    const reason = new Error('the vault is closed');
    const client = server.client({ apiKey: () => Promise.reject(reason) });
    await expect(client.agents.get('bot')).rejects.toBe(reason);
    expect(server.received).toEqual([]);
  });
});

describe('The base URL', () => {
  test('comes from the environment by default', async () => {
    server.respondWith(dataResponse());
    set('AGENT_HOSTING_BASE_URL', server.url);
    await agentHosting({ apiKey: 'key' }).agents.get('bot');
    expect(last()?.path).toBe('/v1/agents/bot');
    set('AGENT_HOSTING_BASE_URL', 'http://127.0.0.1:9');
    await server.client().agents.get('bot');
    expect(server.received).toHaveLength(2);
  });

  test.each(['', '/', '/v1', '/v1/'])('may end in "%s"', async (suffix) => {
    server.respondWith(dataResponse());
    await server.client({ baseUrl: server.url + suffix }).agents.get('bot');
    expect(last()?.path).toBe('/v1/agents/bot');
  });

  test('may have a path', async () => {
    server.respondWith(dataResponse());
    await server.client({ baseUrl: `${server.url}/agent-hosting/v1` }).agents.get('bot');
    expect(last()?.path).toBe('/agent-hosting/v1/agents/bot');
  });
});

describe('Ids and names', () => {
  test.each(['a/b', 'a?b=c', '#', '%2e%2e', 'Größe'])(
    '%s stay within their path segment',
    async (id) => {
      server.respondWith(dataResponse());
      await server.client().agents.get(id);
      expect(last()?.path).toBe(`/v1/agents/${encodeURIComponent(id)}`);
    },
  );

  test.each(['', '.', '..'])('"%s" are rejected', (id) => {
    expect(() => server.client().agents.get(id)).toThrow(`Not an id: '${id}'`);
  });
});

describe('Headers', () => {
  test('of the call override those of the client, regardless of case', async () => {
    server.respondWith(dataResponse());
    const client = server.client({ headers: { 'X-Team': 'one', 'X-App': 'desk', Accept: 'a/b' } });
    await client.agents.get('bot', { headers: { 'x-team': 'two' } });
    expect(last()?.headers).toMatchObject({ 'x-team': 'two', 'x-app': 'desk', accept: 'a/b' });
  });

  test('are overridden by the options that stand for them', async () => {
    server.respondWith(dataResponse());
    const client = server.client({ headers: { 'Idempotency-Key': 'always', 'X-MFA-Code': '1' } });
    await client.agents.invoke('bot', { message: 'Hi' }, { idempotencyKey: 'this-call' });
    await client.agents.delete('bot', { mfaCode: '123456' });
    const [invocation, deletion] = server.received;
    expect(invocation?.headers['idempotency-key']).toBe('this-call');
    expect(deletion?.headers['x-mfa-code']).toBe('123456');
  });
});

describe('A custom fetch', () => {
  test('is used for every attempt', async () => {
    server.respondWith(errorResponse(500, 'server_error'), dataResponse());
    const urls: string[] = [];
    const client = server.client({
      fetch: (input, init) => {
        urls.push(new Request(input).url);
        return fetch(input, init);
      },
    });
    await client.agents.get('bot');
    expect(urls).toEqual(Array(2).fill(`${server.url}/v1/agents/bot`));
  });

  test('made of middleware can change requests and responses, outermost first', async () => {
    server.respondWith(errorResponse(500, 'server_error'), dataResponse({ id: 'agent_1' }));
    const seen: string[] = [];
    const layer =
      (name: string): Middleware =>
      async (request, next) => {
        seen.push(`${name} ${request.method}`);
        request.headers.append('x-layers', name);
        const response = await next(request);
        seen.push(`${name} ${response.status}`);
        return response;
      };
    const client = server.client({ fetch: withMiddleware(layer('outer'), layer('inner')) });
    expect(await client.agents.invoke('bot', { message: 'Hi' })).toEqual({ id: 'agent_1' });
    const attempt = (status: number) => [
      'outer POST',
      'inner POST',
      `inner ${status}`,
      `outer ${status}`,
    ];
    expect(seen).toEqual([...attempt(500), ...attempt(200)]);
    expect(server.received).toMatchObject(
      Array(2).fill({ body: '{"message":"Hi"}', headers: { 'x-layers': 'outer, inner' } }),
    );
  });

  test('may respond without a server', async () => {
    server.respondWith(disconnect);
    const respond = () =>
      Promise.resolve(Response.json({ success: true, data: { id: 'agent_7' } }));
    const client = server.client({ fetch: withMiddleware(respond) });
    expect(await client.agents.get('bot')).toEqual({ id: 'agent_7' });
    expect(server.received).toEqual([]);
  });
});
