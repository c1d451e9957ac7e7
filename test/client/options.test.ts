/** The options of a client, and their defaults. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  agentHosting,
  createClient,
  type Middleware,
  withMiddleware,
} from '../../client/src/index.js';
import { root } from '../helpers/programs/workspace.js';
import { disconnect, dataResponse, errorResponse, useStubServer } from './stub-server.js';

const server = useStubServer();

const { version } = JSON.parse(await readFile(path.join(root, 'client/package.json'), 'utf8')) as {
  version: string;
};

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

  test('that is missing causes an error that says what to do, even without a process object', () => {
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

describe('A malformed API key', () => {
  const whitespace = 'a space or line break that is not allowed';
  test.each([
    ['a line break at its end', 'ahs_secret\n', `${whitespace}, at position 11 of 11`],
    ['a line break inside', 'ahs_\r\nsecret', `${whitespace}, at position 5 of 12`],
    ['a space at its end', 'ahs_secret ', whitespace],
    ['a space before it', ' ahs_secret', whitespace],
    ['the README placeholder', 'ahs_…', 'a character that is not allowed, at position 5 of 5'],
    ['a control character', 'ahs_secret\u0000', 'a character that is not allowed'],
    ['a letter that is not ASCII', 'ahs_sécret', 'a character that is not allowed'],
  ])('with %s is rejected at once, and not shown', async (_name, apiKey, problem) => {
    server.respondWith(dataResponse());
    const errors: unknown[] = [];
    for (const create of [agentHosting, createClient]) {
      try {
        create({ apiKey, baseUrl: server.url });
      } catch (error) {
        errors.push(error);
      }
    }
    const fromFunction = server.client({ apiKey: () => apiKey }).agents.get('bot');
    errors.push(await fromFunction.catch((error: unknown) => error));
    expect(errors).toHaveLength(3);
    for (const error of errors) {
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toHaveProperty('message', expect.stringContaining(problem));
      expect(inspect(error)).not.toMatch(/secret|sécret|…/);
    }
    expect(server.received).toEqual([]);
  });

  test('from a function that returns none is rejected', async () => {
    const client = server.client({ apiKey: () => '' });
    await expect(client.agents.get('bot')).rejects.toThrow('Set apiKey');
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

  test.each([
    ['no scheme', '127.0.0.1:3000'],
    ['a host name for a scheme', 'localhost:3000'],
    ['no scheme and no port', 'agents.example.com'],
    ['another scheme', 'ftp://agents.example.com'],
    ['a password', 'https://user:secret@agents.example.com'],
    ['a query', 'https://agents.example.com/?token=secret'],
    ['a fragment', 'https://agents.example.com/#secret'],
    ['no host', 'https://'],
    ['a key instead of a URL', 'ahs_secret'],
    ['only white space', ' '],
  ])('with %s is rejected at once, and not shown', (_name, baseUrl) => {
    for (const create of [agentHosting, createClient]) {
      let error: unknown;
      try {
        create({ apiKey: 'key', baseUrl });
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(TypeError);
      expect(error).toHaveProperty('message', expect.stringContaining('begins with http://'));
      expect(inspect(error)).not.toContain('secret');
    }
  });

  test.each([' ', '\n'])('may be surrounded by white space', async (space) => {
    server.respondWith(dataResponse());
    await server.client({ baseUrl: `${space}${server.url}${space}` }).agents.get('bot');
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

  test.each(['', '.', '..'])('"%s" are rejected', async (id) => {
    server.respondWith(dataResponse());
    await expect(server.client().agents.get(id)).rejects.toThrow(`Not an id: '${id}'`);
    expect(server.received).toEqual([]);
  });
});

describe('Headers', () => {
  test('of the call override those of the client, regardless of case', async () => {
    server.respondWith(dataResponse());
    const client = server.client({ headers: { 'X-Team': 'one', 'X-App': 'desk', Accept: 'a/b' } });
    await client.agents.get('bot', { headers: { 'x-team': 'two' } });
    expect(last()?.headers).toMatchObject({ 'x-team': 'two', 'x-app': 'desk', accept: 'a/b' });
  });

  test('are overridden by the options for the same header', async () => {
    server.respondWith(dataResponse());
    const client = server.client({ headers: { 'Idempotency-Key': 'always', 'X-MFA-Code': '1' } });
    const toolAuthorization = 'Bearer of-ada';
    const options = { idempotencyKey: 'this-call', toolAuthorization };
    await client.agents.invoke('bot', { message: 'Hi' }, options);
    await client.agents.delete('bot', { mfaCode: '123456' });
    await client.deployments.rollback('bot', 'dep_1', { mfaCode: '654321' });
    await client.agents.resume('bot', 'req_1', { call_1: 'approve' }, { toolAuthorization });
    const [invocation, deletion, rollback, resumption] = server.received;
    expect(invocation?.headers['idempotency-key']).toBe('this-call');
    expect(invocation?.headers['x-tool-authorization']).toBe(toolAuthorization);
    expect(resumption?.headers['x-tool-authorization']).toBe(toolAuthorization);
    expect(deletion?.headers['x-mfa-code']).toBe('123456');
    expect(rollback?.headers['x-mfa-code']).toBe('654321');
  });
});

test('Headers that cannot be sent are rejected at once, and not shown', () => {
  const headers = { 'X-Token': 'secret\nsecret' };
  for (const create of [agentHosting, createClient]) {
    const message = 'The header X-Token cannot be sent.';
    expect(() => create({ apiKey: 'key', headers })).toThrow(message);
  }
});

describe('The User-Agent', () => {
  test('names the client, its version and the runtime, in both clients', async () => {
    server.respondWith(dataResponse());
    await server.client().agents.get('bot');
    await createClient({ apiKey: 'key', baseUrl: server.url }).GET('/v1/agents');
    const agent = `agent-hosting-client/${version} node/${process.versions.node}`;
    expect(server.received.map(({ headers }) => headers['user-agent'])).toEqual([agent, agent]);
  });

  test('can be replaced', async () => {
    server.respondWith(dataResponse());
    await server.client({ headers: { 'User-Agent': 'desk/2' } }).agents.get('bot');
    expect(last()?.headers['user-agent']).toBe('desk/2');
  });

  test('is not set in browsers', async () => {
    const navigator = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' };
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
    try {
      server.respondWith(dataResponse());
      await server.client().agents.get('bot');
    } finally {
      Reflect.deleteProperty(globalThis, 'navigator');
    }
    expect(last()?.headers['user-agent']).not.toContain('agent-hosting');
  });
});

describe('withOptions', () => {
  test('derives a client, and does not change the first', async () => {
    server.respondWith(errorResponse(500, 'server_error'));
    const first = server.client({ maxRetries: 0, headers: { 'X-App': 'desk', 'X-Team': 'one' } });
    const second = first.withOptions({ apiKey: 'other', headers: { 'x-team': 'two' } });
    await expect(second.agents.get('bot')).rejects.toThrow();
    await expect(first.agents.get('bot')).rejects.toThrow();
    expect(server.received.map(({ headers }) => headers)).toMatchObject([
      { authorization: 'Bearer other', 'x-app': 'desk', 'x-team': 'two' },
      { authorization: 'Bearer key', 'x-app': 'desk', 'x-team': 'one' },
    ]);
    await expect(second.withOptions({ maxRetries: 1 }).agents.get('bot')).rejects.toThrow(
      'server_error',
    );
    expect(server.received).toHaveLength(4);
  });

  test('validates the options', () => {
    expect(() => server.client().withOptions({ apiKey: 'a b' })).toThrow('is not allowed');
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
