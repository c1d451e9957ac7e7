/** Rate limits by tier, exact across instances, and what happens when the database cannot be asked. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tierNames, tiers } from '../../server/lib/tiers.js';
import type { Answered } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { type Proxy, proxyTo } from '../helpers/proxy.js';
import { startTestService, type TestInstance, type TestService } from '../helpers/service.js';

let service: TestService;
let second: TestInstance;

beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT_STORE: 'postgres' });
  second = await service.another();
});

afterAll(() => service.stop());

interface Told {
  limit: number;
  remaining: number;
  reset: number;
}

function told({ headers }: Answered<unknown>): Told {
  const read = (name: string) => {
    const value = headers.get(`x-ratelimit-${name}`) ?? '';
    expect(value).toMatch(/^\d+$/);
    return Number(value);
  };
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
}

const nowInSeconds = () => Date.now() / 1000;

describe.each(['memory', 'postgres'])('with buckets in %s', (store) => {
  test.each(['free', 'pro', 'enterprise'] as const)('tier %s has its burst', async (tier) => {
    const tenant = await service.tenant({ tier });
    const { api } = await instanceWith(store);
    const { burst, perMinute } = tiers[tier];
    const start = nowInSeconds();
    const { limit, remaining, reset } = told(await api(tenant.key).call('listAgents'));
    expect(limit).toBe(burst);
    expect(remaining).toBe(burst - 1);
    const refill = 60 / perMinute;
    expect(reset).toBeGreaterThanOrEqual(Math.floor(start + refill));
    expect(reset).toBeLessThanOrEqual(Math.ceil(nowInSeconds() + refill) + 1);
  });

  test('all keys of an account share one bucket, and no other account does', async () => {
    const { api } = await instanceWith(store);
    const [ours, theirs] = [await service.tenant(), await service.tenant()];
    const second = await ours.newKey({ permissions: ['manage'] });
    await api(ours.key).call('listAgents');
    const after = told(await api(second.key).call('listApiKeys'));
    expect(after.remaining).toBeLessThanOrEqual(after.limit - 1);
    expect(told(await api(theirs.key).call('listAgents')).remaining).toBe(after.limit - 1);
  });

  test('past its burst an account gets 429s, which take no token and say when to come back', async () => {
    const { api } = await instanceWith(store);
    const { key } = await service.tenant({ tier: 'free' });
    const refused = await exhaust(() => api(key).call('listAgents'));
    expect(refused.body).toMatchObject({ error: { code: 'rate_limited', retry_after: 1 } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(told(refused).remaining).toBe(0);
    // A refused request that took a token would put the next one off for ever.
    await eventually(async () => {
      expect((await api(key).call('listAgents')).status).toBe(200);
    }, 5_000);
  });
});

describe('two instances on one database', () => {
  test('let 100 of 500 concurrent requests through at burst 100', async () => {
    const { key } = await service.tenant({ tier: 'free' });
    const apis = [service.api(key), second.api(key)];
    await Promise.all(apis.map((api) => api.call('listAgents', { query: { limit: 0 } })));
    const start = nowInSeconds();
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const api = apis[n % apis.length];
        return (await api?.call('getAgent', { path: { agent_id: 'nobody' } }))?.status;
      }),
    );
    const refilled = Math.ceil(nowInSeconds() - start) * (tiers.free.perMinute / 60);
    const passed = statuses.filter((status) => status === 404).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(500 - passed);
    // The two requests that warmed the instances up were counted as well.
    expect(passed).toBeGreaterThanOrEqual(tiers.free.burst - apis.length);
    expect(passed).toBeLessThanOrEqual(tiers.free.burst - apis.length + refilled);
  });

  test('learn of a new tier within a second', async () => {
    const tenant = await service.tenant({ tier: 'free' });
    expect(told(await second.api(tenant.key).call('listAgents')).limit).toBe(tiers.free.burst);
    await service.database.prisma.account.update({
      where: { id: tenant.accountId },
      data: { tier: 'pro' },
    });
    await eventually(async () => {
      expect(told(await second.api(tenant.key).call('listAgents')).limit).toBe(tiers.pro.burst);
    }, 1_000);
  });
});

describe('when the database cannot be asked', () => {
  let proxy: Proxy;

  beforeAll(async () => {
    proxy = await proxyTo(service.databaseUrl);
  });

  afterAll(() => proxy.close());

  test('a local bucket decides, the service stays up, and the shared one counts again afterwards', async () => {
    const tenant = await service.tenant({ tier: 'free' });
    const { api, url, log } = await service.another({
      DATABASE_URL: proxy.url,
      DATABASE_CONNECT_TIMEOUT_MS: '1000',
    });
    await api(tenant.key).expect('listAgents', 200);
    await proxy.cut();
    // The key is still known for a moment; then authentication has nobody to ask either.
    const during = await api(tenant.key).call('listAgents');
    expect(during.status).toBe(503);
    expect(told(during)).toMatchObject({ limit: 100, remaining: 99 });
    expect(log.join('')).toContain('shared rate limit unavailable');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    await eventually(async () => {
      const { status, headers } = await api(tenant.key).call('listAgents');
      expect(status).toBe(503);
      expect(headers.get('retry-after')).not.toBeNull();
      expect(headers.has('x-ratelimit-limit')).toBe(false);
    });

    await proxy.restore();
    await eventually(async () => {
      expect((await api(tenant.key).call('listAgents')).status).toBe(200);
    });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

test('the tiers tested here are all that there are', () => {
  expect(tierNames).toEqual(['free', 'pro', 'enterprise']);
});

async function instanceWith(store: string): Promise<Pick<TestService, 'api'>> {
  return store === 'postgres'
    ? service
    : (inMemory ??= service.another({ RATE_LIMIT_STORE: store }));
}

let inMemory: Promise<Pick<TestService, 'api'>> | undefined;

/** Calls until the answer is a 429, and returns that one. */
async function exhaust(call: () => Promise<Answered<unknown>>): Promise<Answered<unknown>> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 50 }, call));
    const refused = answers.find(({ status }) => status === 429);
    if (refused) return refused;
  }
}
