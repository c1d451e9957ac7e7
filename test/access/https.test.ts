/** enforceHttps and hsts: what counts as https, directly and behind proxies, and when the header is sent. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { useTlsFiles } from '../helpers/programs/files.js';
import { httpsFetch } from './https-fetch.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';

const authority = createAuthority('Test authority');
const overTls = httpsFetch({ ca: authority.cert });
const proxied = { TRUST_PROXY: '127.0.0.1' };

const plain = useService();
const tenant = useTenant(plain);
const tls = useTlsFiles(authority);
const secure = useInstance(plain, () => ({ ...tls }));
const plainBehindProxy = useInstance(plain, () => proxied);
const secureBehindProxy = useInstance(plain, () => ({ ...tls, ...proxied }));

const agentWith = async (security: object) => (await tenant.newAgent({ policy: { security } })).id;

const ask = ({ url }: { url: string }, agent: string, headers: Record<string, string> = {}) =>
  apiClient(url, tenant.key, url.startsWith('https:') ? overTls : fetch).call('getAgent', {
    path: { agent_id: agent },
    headers,
  });

test('the service logs its https address', () => {
  expect(secure.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
});

describe('an agent with enforceHttps', () => {
  let agent: string;
  beforeAll(async () => {
    agent = await agentWith({ enforceHttps: true });
  });

  test('accepts a request over the service’s own TLS', async () => {
    expect((await ask(secure, agent)).status).toBe(200);
  });

  test('accepts a request whose trusted proxy reports https', async () => {
    const told = { 'x-forwarded-proto': 'https' };
    expect((await ask(plainBehindProxy, agent, told)).status).toBe(200);
    expect((await ask(secureBehindProxy, agent, told)).status).toBe(200);
    expect((await ask(secureBehindProxy, agent)).status).toBe(200);
  });

  test('rejects plain http with a 403 that says why', async () => {
    const { status, body } = await ask(plain, agent);
    expect(status).toBe(403);
    expect(body).toMatchObject({
      error: { code: 'forbidden', message: 'This agent accepts requests over https only.' },
    });
  });

  test.each([
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-protocol': 'https' },
    { 'x-forwarded-ssl': 'on' },
    { 'x-url-scheme': 'https' },
    { 'front-end-https': 'on' },
    { forwarded: 'proto=https' },
    { 'x-forwarded-port': '443' },
    { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' },
    { 'x-forwarded-scheme': 'https' },
    { 'upgrade-insecure-requests': '1' },
  ])('rejects plain http from a client that is not a proxy and sends %j', async (headers) => {
    expect((await ask(plain, agent, headers)).status).toBe(403);
  });

  test.each([
    'http',
    'HTTP',
    'https, http',
    'http, https',
    'https,',
    'httpss',
    'wss',
    'on',
    '1',
    '',
  ])('rejects a request whose trusted proxy reports "%s"', async (protocol) => {
    const told = { 'x-forwarded-proto': protocol };
    expect((await ask(plainBehindProxy, agent, told)).status).toBe(403);
  });

  test('rejects a request that reached a trusted proxy over http, even if the proxy connects over https', async () => {
    const told = { 'x-forwarded-proto': 'http' };
    expect((await ask(secureBehindProxy, agent, told)).status).toBe(403);
  });

  test('accepts plain http if it is disabled', async () => {
    expect((await ask(plain, await agentWith({ enforceHttps: false }))).status).toBe(200);
  });
});

describe('hsts', () => {
  const hsts = 'strict-transport-security';
  let agent: string;
  beforeAll(async () => {
    agent = await agentWith({
      hsts: { enabled: true, maxAge: 86_400 },
      ipWhitelist: { enabled: true, addresses: ['127.0.0.1'] },
    });
  });

  test('adds the header to responses over https', async () => {
    const direct = await ask(secure, agent);
    expect(direct.headers.get(hsts)).toBe('max-age=86400');
    const proxied = await ask(plainBehindProxy, agent, { 'x-forwarded-proto': 'https' });
    expect(proxied.headers.get(hsts)).toBe('max-age=86400');
  });

  test('adds it to errors too', async () => {
    const { status, headers } = await ask(secureBehindProxy, agent, {
      'x-forwarded-for': '203.0.113.7',
    });
    expect(status).toBe(403);
    expect(headers.get(hsts)).toBe('max-age=86400');
  });

  test('never adds it to responses over http, whatever the client sends', async () => {
    expect((await ask(plain, agent)).headers.get(hsts)).toBeNull();
    const lying = await ask(plain, agent, { 'x-forwarded-proto': 'https' });
    expect(lying.headers.get(hsts)).toBeNull();
    const honest = await ask(secureBehindProxy, agent, { 'x-forwarded-proto': 'http' });
    expect(honest.headers.get(hsts)).toBeNull();
  });

  test("can clear the browsers' memory, with an age of 0", async () => {
    const withdrawn = await agentWith({ hsts: { enabled: true, maxAge: 0 } });
    expect((await ask(secure, withdrawn)).headers.get(hsts)).toBe('max-age=0');
  });

  test('applies only to agents that enable it', async () => {
    const off = await agentWith({ hsts: { enabled: false, maxAge: 86_400 } });
    expect((await ask(secure, off)).headers.get(hsts)).toBeNull();
    const { headers } = await apiClient(secure.url, tenant.key, overTls).call('listAgents');
    expect(headers.get(hsts)).toBeNull();
  });

  test('does not reveal to an unauthenticated client whether the agent exists', async () => {
    const stranger = await plain.tenant();
    const { status, headers } = await apiClient(secure.url, stranger.key, overTls).call(
      'getAgent',
      { path: { agent_id: agent } },
    );
    expect(status).toBe(404);
    expect(headers.get(hsts)).toBeNull();
  });
});
