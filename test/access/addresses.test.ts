/** ipWhitelist: access by address, directly and through proxies, which clients cannot spoof. */
import { describe, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
/** Trusts this machine as a proxy. */
const behindProxy = useInstance(service, () => ({ TRUST_PROXY: '127.0.0.0/8,10.0.0.0/8' }));
/** Listens for both families, so that IPv4 clients have mapped addresses. */
const dualStack = useInstance(service, () => ({ HOST: '::' }));

const agentFor = async (addresses: string[], enabled = true) => {
  const { id } = await tenant.newAgent({
    policy: { security: { ipWhitelist: { enabled, addresses } } },
  });
  return id;
};

const ask = async (url: string, agent: string, headers: Record<string, string> = {}) => {
  const call = { path: { agent_id: agent }, headers };
  return (await apiClient(url, tenant.key).call('getAgent', call)).status;
};

describe('a direct client', () => {
  test.each([['127.0.0.1'], ['127.0.0.0/8'], ['::ffff:127.0.0.1'], ['::ffff:127.0.0.0/104']])(
    'is accepted by %s, whether its address is mapped or not',
    async (network) => {
      const agent = await agentFor(['192.0.2.1', network]);
      expect(await ask(service.url, agent)).toBe(200);
      expect(await ask(dualStack.url, agent)).toBe(200);
    },
  );

  test('of the other family is accepted by its own address', async () => {
    const agent = await agentFor(['::1']);
    expect(await ask(dualStack.url.replace('127.0.0.1', '[::1]'), agent)).toBe(200);
    expect(await ask(dualStack.url, agent)).toBe(403);
  });

  test.each([['10.0.0.0/8'], ['127.0.0.2'], ['128.0.0.0/1'], ['::1'], ['::/0'], ['2001:db8::/32']])(
    'is rejected by %s',
    async (network) => {
      const agent = await agentFor([network]);
      expect(await ask(service.url, agent)).toBe(403);
      expect(await ask(dualStack.url, agent)).toBe(403);
    },
  );

  test('is told that its address is the reason, and nothing about the list', async () => {
    const agent = await agentFor(['10.1.2.3']);
    const { error } = await tenant.api.expect('getAgent', 403, { path: { agent_id: agent } });
    expect(error).toEqual({
      code: 'forbidden',
      message: 'This agent does not accept requests from this address.',
    });
  });

  test('is accepted by a list that is not enabled', async () => {
    expect(await ask(service.url, await agentFor(['10.1.2.3'], false))).toBe(200);
  });

  test('is rejected by the name of the agent as well as by its id', async () => {
    const { name } = await tenant.newAgent({
      policy: { security: { ipWhitelist: { enabled: true, addresses: ['10.1.2.3'] } } },
    });
    expect(await ask(service.url, name)).toBe(403);
  });
});

describe('a forwarding header from a client that is not a proxy has no effect:', () => {
  test.each([
    { 'x-forwarded-for': '10.1.2.3' },
    { 'x-forwarded-for': '10.1.2.3, 127.0.0.1' },
    { 'x-forwarded-for': '127.0.0.1, 10.1.2.3' },
    { forwarded: 'for=10.1.2.3' },
    { 'x-real-ip': '10.1.2.3' },
    { 'x-client-ip': '10.1.2.3' },
    { 'true-client-ip': '10.1.2.3' },
    { 'cf-connecting-ip': '10.1.2.3' },
    { 'x-originating-ip': '10.1.2.3' },
    { 'x-forwarded-host': '10.1.2.3', host: '10.1.2.3' },
  ])('%j', async (headers) => {
    const list = { allowed: await agentFor(['10.1.2.3']), other: await agentFor(['127.0.0.1']) };
    expect(await ask(service.url, list.allowed, headers)).toBe(403);
    expect(await ask(service.url, list.other, headers)).toBe(200);
  });
});

describe('behind a trusted proxy', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['what the client claimed, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.9, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::/32'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.0/120'],
  ])('the client in X-Forwarded-For "%s" is accepted by %s', async (forwarded, network) => {
    const agent = await agentFor([network]);
    expect(await ask(behindProxy.url, agent, { 'x-forwarded-for': forwarded })).toBe(200);
  });

  test.each([
    // The last address that is not a proxy counts; anything before it is a claim of the client.
    '203.0.113.7, 198.51.100.9',
    '203.0.113.7, 198.51.100.9, 10.9.9.9',
    '203.0.113.7, unknown',
    '203.0.113.7:4711',
    '"203.0.113.7"',
    'for=203.0.113.7',
    '203.0.113.07',
    '203.0.113.7 198.51.100.9',
    '::203.0.113.7',
    'nonsense',
    '',
  ])('X-Forwarded-For "%s" is not accepted by 203.0.113.7', async (forwarded) => {
    const agent = await agentFor(['203.0.113.7']);
    expect(await ask(behindProxy.url, agent, { 'x-forwarded-for': forwarded })).toBe(403);
  });

  test.each([undefined, '', ' ', ',', ' , '])(
    'the client is unknown, and is not the proxy itself, if X-Forwarded-For is %j',
    async (forwarded) => {
      const agent = await agentFor(['127.0.0.1', '10.0.0.0/8']);
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const { error } = await apiClient(behindProxy.url, tenant.key).expect('getAgent', 403, {
        path: { agent_id: agent },
        headers,
      });
      expect(error.message).toMatch(/address of this one is unknown.*X-Forwarded-For.*TRUST_PROXY/);
    },
  );

  test('a trusted address in X-Forwarded-For is accepted as a client inside that network', async () => {
    const agent = await agentFor(['10.0.0.0/8']);
    expect(await ask(behindProxy.url, agent, { 'x-forwarded-for': '10.1.2.3' })).toBe(200);
  });
});
