/** Failed authentication is limited per client address. */
import { describe, expect, test } from '@jest/globals';
import { createFailedAuthenticationLimit } from '../../server/http/steps/failed-authentication.js';
import { generateApiKey } from '../../server/keys/api-key.js';
import { newId } from '../../server/lib/data/typeid.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { mostAtOnce } from '../helpers/database/statements.js';
import { eventually } from '../helpers/eventually.js';
import { type TestInstance, useService, useTenant } from '../helpers/service/service.js';

/** Trusts the proxy on this machine; the other instance trusts no proxy. */
const service = useService({ TRUST_PROXY: '127.0.0.1' });
const tenant = useTenant(service);

/** Makes this many failing requests at once, each with the claimed address; returns the statuses. */
async function guess(
  { api }: Pick<TestInstance, 'api'>,
  times: number,
  claimed: (n: number) => string,
): Promise<number[]> {
  const answers = Array.from({ length: times }, (_, n) =>
    api(generateApiKey()).call('listAgents', { headers: { 'x-forwarded-for': claimed(n) } }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** One request per second is allowed again, so guesses are rejected in the end, however slow this machine is. */
async function guessUntilRefused(claimed: (n: number) => string): Promise<void> {
  await eventually(async () => {
    expect(await guess(service, 50, claimed)).toContain(429);
  });
}

describe('failed authentication', () => {
  test('is a 429 after 100 failures, whatever X-Forwarded-For claims', async () => {
    const instance = await service.another({ TRUST_PROXY: '' });
    const statuses = await guess(instance, 100, (n) => `10.0.0.${n}`);
    expect(new Set(statuses)).toEqual(new Set([401]));
    const refused = await eventually(async () => {
      const [last] = await Promise.all(
        Array.from({ length: 20 }, () => instance.api(generateApiKey()).call('listAgents')),
      );
      expect(last?.status).toBe(429);
      return last;
    });
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(refused?.headers.has('x-ratelimit-limit')).toBe(false);
  });

  test('is counted by the address that a trusted proxy reports, so that one client does not lock out others', async () => {
    await guessUntilRefused(() => '203.0.113.7');
    const other = await tenant.api.call('listAgents', {
      headers: { 'x-forwarded-for': '203.0.113.8' },
    });
    expect(other.status).toBe(200);
    // Only the last address was added by the trusted proxy; the others are claims of the client.
    await guessUntilRefused((n) => `198.51.100.${n}, 203.0.113.9`);
  });

  test('never blocks a valid key, however many failures come from its address', async () => {
    const from = '203.0.113.11';
    await guessUntilRefused(() => from);
    const headers = { 'x-forwarded-for': from };
    const unknown = await tenant.newKey();
    await tenant.api.expect('listAgents', 200, { headers });
    await service.api(unknown.key).expect('listAgents', 200, { headers });
    await guessUntilRefused(() => from);
  });

  test.each([
    [
      'keys',
      'key_hash',
      (headers: Record<string, string>) =>
        service.api(generateApiKey()).call('listAgents', { headers }),
    ],
    [
      'tokens',
      '"policy"',
      (headers: Record<string, string>) =>
        service
          .api(signToken('a secret of at least 32 bytes, guessed', usualClaims()))
          .call('getAgent', { path: { agent_id: newId('agent') }, headers }),
    ],
  ])('leaves guessed %s one database connection', async (what, lookUp, attempt) => {
    const from = `203.0.113.${what === 'keys' ? 12 : 13}`;
    const headers = { 'x-forwarded-for': from };
    await guessUntilRefused(() => from);
    // The block ends after a second, and must not let a wave of guesses through.
    await eventually(async () => {
      expect((await attempt(headers)).status).toBe(401);
    });
    const atOnce = await mostAtOnce(lookUp, async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => attempt(headers)));
      for (const { status } of answers) expect([401, 429]).toContain(status);
    });
    expect(atOnce).toBe(1);
  });

  test('does not delay a key that has worked before, behind many guesses', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.14' };
    await tenant.api.expect('listAgents', 200, { headers });
    await guessUntilRefused(() => '203.0.113.14');
    const attack = { hasEnded: false };
    const guesses = guess(service, 150, () => '203.0.113.14').finally(() => {
      attack.hasEnded = true;
    });
    while (!attack.hasEnded) await tenant.api.expect('listAgents', 200, { headers });
    expect(await guesses).toContain(429);
  });

  test('lets an unknown key from another address pass while one is full of guesses', async () => {
    await guessUntilRefused(() => '203.0.113.15');
    await guessUntilRefused(() => '203.0.113.16');
    const { key } = await tenant.newKey();
    const guesses = guess(service, 150, () => '203.0.113.15');
    await service
      .api(key)
      .expect('listAgents', 200, { headers: { 'x-forwarded-for': '203.0.113.16' } });
    await guesses;
  });

  test('through a proxy that names no client is not counted as the proxy’s own', async () => {
    const withoutAddress = () => service.api(generateApiKey()).call('listAgents');
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, withoutAddress));
      expect(answers.map(({ status }) => status)).toContain(429);
    });
    expect(await guess(service, 1, () => '127.0.0.1')).toEqual([401]);
  });

  test('does not count requests that succeed', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.10' };
    for (let n = 0; n < 150; n += 1) await tenant.api.expect('listAgents', 200, { headers });
  });
});

describe('an address', () => {
  const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1000;

  test('gets 100 failures at once and one more each second', () => {
    let now = at(0);
    const limit = createFailedAuthenticationLimit(() => now);
    for (let n = 0; n < 100; n += 1) {
      expect(limit.retryAfter('192.0.2.1')).toBe(0);
      limit.record('192.0.2.1');
    }
    expect(limit.retryAfter('192.0.2.1')).toBe(1);
    expect(limit.retryAfter('192.0.2.2')).toBe(0);
    for (let second = 1; second <= 5; second += 1) {
      now = at(second);
      expect(limit.retryAfter('192.0.2.1')).toBe(0);
      limit.record('192.0.2.1');
      expect(limit.retryAfter('192.0.2.1')).toBe(1);
    }
  });

  test('is suspect from its 51st failure until it has been quiet for a while', () => {
    let now = at(0);
    const limit = createFailedAuthenticationLimit(() => now);
    for (let n = 0; n < 50; n += 1) limit.record('192.0.2.1');
    expect(limit.isSuspect('192.0.2.1')).toBe(false);
    for (let n = 0; n < 50; n += 1) {
      limit.record('192.0.2.1');
      expect(limit.isSuspect('192.0.2.1')).toBe(true);
    }
    now = at(49);
    expect(limit.retryAfter('192.0.2.1')).toBe(0);
    expect(limit.isSuspect('192.0.2.1')).toBe(true);
    expect(limit.isSuspect('192.0.2.2')).toBe(false);
    now = at(50);
    expect(limit.isSuspect('192.0.2.1')).toBe(false);
  });

  test.each([
    ['the same IPv4 address written as IPv6', '192.0.2.1', '::ffff:192.0.2.1', 1],
    ['two addresses of one IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 1],
    ['the same network written in another way', '2001:db8::1', '2001:0db8:0:0:5::1', 1],
    ['two IPv6 networks', '2001:db8:1:2::1', '2001:db8:1:3::1', 0],
    ['two IPv4 addresses', '192.0.2.1', '192.0.2.2', 0],
  ])('%s are counted correctly', (_name, one, other, wait) => {
    const limit = createFailedAuthenticationLimit(() => at(0));
    for (let n = 0; n < 100; n += 1) limit.record(one);
    expect(limit.retryAfter(other)).toBe(wait);
  });
});
