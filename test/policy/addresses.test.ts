/** ipWhitelist: who is let in by address, directly and through proxies, and that nobody can talk their way in. */
import { describe, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/api.js';
import { useInstance, useService, useTenant } from '../helpers/service.js';

const service = useService();
const tenant = useTenant(service);
/** Believes this machine about the client, as if it were a proxy. */
const behindProxy = useInstance(service, () => ({ TRUST_PROXY: '127.0.0.0/8,10.0.0.0/8' }));
/** Listens for both families, so that IPv4 clients come with mapped addresses. */
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
    'is let in by %s, whether its address is mapped or not',
    async (network) => {
      const agent = await agentFor(['192.0.2.1', network]);
      expect(await ask(service.url, agent)).toBe(200);
      expect(await ask(dualStack.url, agent)).toBe(200);
    },
  );

  test('of the other family is let in by its own address', async () => {
    const agent = await agentFor(['::1']);
    expect(await ask(dualStack.url.replace('127.0.0.1', '[::1]'), agent)).toBe(200);
    expect(await ask(dualStack.url, agent)).toBe(403);
  });

  test.each([['10.0.0.0/8'], ['127.0.0.2'], ['128.0.0.0/1'], ['::1'], ['::/0'], ['2001:db8::/32']])(
    'is refused by %s',
    async (network) => {
      const agent = await agentFor([network]);
      expect(await ask(service.url, agent)).toBe(403);
      expect(await ask(dualStack.url, agent)).toBe(403);
    },
  );

  test('is told that it is the address, and nothing about the others', async () => {
    const agent = await agentFor(['10.1.2.3']);
    const { error } = await tenant.api.expect('getAgent', 403, { path: { agent_id: agent } });
    expect(error).toEqual({
      code: 'forbidden',
      message: 'This agent does not accept requests from this address.',
    });
  });

  test('is let in by a list that is not enabled', async () => {
    expect(await ask(service.url, await agentFor(['10.1.2.3'], false))).toBe(200);
  });

  test('is refused by the name of the agent as well as by its id', async () => {
    const { name } = await tenant.newAgent({
      policy: { security: { ipWhitelist: { enabled: true, addresses: ['10.1.2.3'] } } },
    });
    expect(await ask(service.url, name)).toBe(403);
  });
});

describe('a header of a client that is no proxy changes nothing:', () => {
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
  ])('the client in X-Forwarded-For "%s" is let in by %s', async (forwarded, network) => {
    const agent = await agentFor([network]);
    expect(await ask(behindProxy.url, agent, { 'x-forwarded-for': forwarded })).toBe(200);
  });

  test.each([
    // The last one that is no proxy counts; what stands before it is the client's own word.
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
  ])('X-Forwarded-For "%s" is not let in by 203.0.113.7', async (forwarded) => {
    const agent = await agentFor(['203.0.113.7']);
    expect(await ask(behindProxy.url, agent, { 'x-forwarded-for': forwarded })).toBe(403);
  });

  test('the proxy itself is the client if it names none', async () => {
    expect(await ask(behindProxy.url, await agentFor(['203.0.113.7']))).toBe(403);
    expect(await ask(behindProxy.url, await agentFor(['127.0.0.1']))).toBe(200);
  });
});
