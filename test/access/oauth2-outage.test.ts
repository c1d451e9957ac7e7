/** auth.type oauth2 when the provider rotates its keys or is unavailable: no token is accepted unverified. */
import { afterAll, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { eventually } from '../helpers/eventually.js';
import {
  clientId,
  newKey,
  type OAuthProvider,
  startProvider,
} from '../helpers/servers/oauth-provider.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', TRUST_PROXY: '127.0.0.1' });
const tenant = useTenant(service);
const providers: OAuthProvider[] = [];

afterAll(() => Promise.all(providers.map((provider) => provider.close())));

async function newProvider(): Promise<{ provider: OAuthProvider; agent: string }> {
  const provider = await startProvider({ alg: 'ES256' });
  providers.push(provider);
  return { provider, agent: await agentOf(provider.url) };
}

async function agentOf(provider: string): Promise<string> {
  const auth = { type: 'oauth2', provider, clientId };
  return (await tenant.newAgent({ policy: { auth } })).id;
}

let clients = 0;

/** Each time from another address, so that failures do not count against later requests. */
function invoke(token: string, agent: string) {
  clients += 1;
  return service.api(token).call('invokeAgent', {
    path: { agent_id: agent },
    headers: { 'x-forwarded-for': `10.0.${clients >> 8}.${clients & 0xff}` },
    body: { message: 'hello' },
  });
}

const statusOf = async (token: string, agent: string) => (await invoke(token, agent)).status;

describe('keys', () => {
  test('are requested once, however many tokens arrive', async () => {
    const { provider, agent } = await newProvider();
    const token = await provider.token();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(token, agent)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([...provider.requests.values()]).toEqual([1, 1]);
  });

  test('that are new are found, and removed ones are rejected', async () => {
    const { provider, agent } = await newProvider();
    const before = await provider.token();
    expect(await statusOf(before, agent)).toBe(200);
    await provider.rotate('RS256');
    const after = await provider.token();
    await eventually(async () => {
      expect(await statusOf(after, agent)).toBe(200);
    });
    expect(await statusOf(before, agent)).toBe(401);
  });

  test('that are unknown do not cause a flood of requests', async () => {
    const { provider, agent } = await newProvider();
    expect(await statusOf(await provider.token(), agent)).toBe(200);
    for (let index = 0; index < 10; index += 1) {
      const forged = await provider.token({}, {}, await newKey('ES256'));
      expect(await statusOf(forged, agent)).toBe(401);
    }
    expect(provider.requests.get('/keys')).toBeLessThanOrEqual(2);
  });

  test('that are cached stay valid while the provider is unavailable', async () => {
    const { provider, agent } = await newProvider();
    expect(await statusOf(await provider.token(), agent)).toBe(200);
    await provider.close();
    expect(await statusOf(await provider.token({ sub: 'user_2' }), agent)).toBe(200);
  });
});

describe('a valid token gets a 503 with Retry-After while its provider', () => {
  const answers: [string, RequestListener][] = [
    ['answers 500', (_request, response) => response.writeHead(500).end()],
    ['answers 404', (_request, response) => response.writeHead(404).end()],
    ['answers with HTML', (_request, response) => response.end('<html>')],
    ['answers with other JSON', (_request, response) => response.end('[]')],
    ['hangs up', (request) => request.socket.destroy()],
    [
      'names another issuer',
      (request, response) =>
        response.end(
          JSON.stringify({
            issuer: 'https://other.example',
            jwks_uri: `http://${request.headers.host ?? ''}/keys`,
          }),
        ),
    ],
    [
      'redirects',
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    [
      'has its keys at a private address',
      (request, response) =>
        response.end(
          JSON.stringify({
            issuer: `http://${request.headers.host ?? ''}`,
            jwks_uri: 'http://169.254.169.254/keys',
          }),
        ),
    ],
    [
      'has its keys in a file',
      (request, response) =>
        response.end(
          JSON.stringify({
            issuer: `http://${request.headers.host ?? ''}`,
            jwks_uri: 'file:///etc/passwd',
          }),
        ),
    ],
    [
      'has no keys',
      (request, response) => {
        const own = `http://${request.headers.host ?? ''}`;
        const isKeys = request.url === '/keys';
        response.end(
          JSON.stringify(isKeys ? { keys: [] } : { issuer: own, jwks_uri: `${own}/keys` }),
        );
      },
    ],
    [
      'sends an endless response',
      (_request, response) => {
        response.end(JSON.stringify({ issuer: 'x'.repeat(2_000_000) }));
      },
    ],
  ];

  test.each(answers)('%s', async (_what, listener) => {
    const { provider, agent } = await newProvider();
    provider.answer(listener);
    const { status, headers, body } = await invoke(await provider.token(), agent);
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(body).toMatchObject({ error: { code: 'unavailable' } });
    expect(JSON.stringify(body)).not.toContain(provider.url);
    expect(service.log.join('')).toContain(
      `${provider.url} does not respond as an OAuth 2.0 provider`,
    );
  });

  test('is unreachable, and it is not contacted again at once', async () => {
    const { provider, agent } = await newProvider();
    const token = await provider.token();
    provider.answer((request) => request.socket.destroy());
    const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOf(token, agent)));
    expect(statuses).toEqual([503, 503, 503, 503, 503]);
    expect([...provider.requests.values()]).toEqual([1]);
  });

  test('was unavailable, and is accepted when it is back', async () => {
    const { provider, agent } = await newProvider();
    provider.answer((_request, response) => response.writeHead(503).end());
    const token = await provider.token();
    expect(await statusOf(token, agent)).toBe(503);
    provider.answer(undefined);
    await eventually(async () => {
      expect(await statusOf(token, agent)).toBe(200);
    });
  });
});

test('a provider on a private address is not contacted if those are not allowed', async () => {
  const strict = await service.another({ ALLOW_PRIVATE_TARGETS: 'false' });
  const { provider, agent } = await newProvider();
  const { status } = await strict.api(await provider.token()).call('invokeAgent', {
    path: { agent_id: agent },
    body: { message: 'hello' },
  });
  expect(status).toBe(503);
  expect(provider.requests.size).toBe(0);
});

test('a token that cannot belong to this agent causes no request to the provider', async () => {
  const { provider, agent } = await newProvider();
  expect(await statusOf(await provider.token({ aud: 'other' }), agent)).toBe(401);
  expect(await statusOf(await provider.token({ iss: 'https://other.example' }), agent)).toBe(401);
  expect(await statusOf(await provider.token({ exp: 1 }), agent)).toBe(401);
  expect(provider.requests.size).toBe(0);
});
