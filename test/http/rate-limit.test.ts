/** Rate limits by tier, exact across instances, and their behaviour without the database. */
import { describe, expect, test } from '@jest/globals';
import { withConnectTimeout } from '../helpers/database/database.js';
import { type Caps, tierNames, tiers } from '../../server/accounts/tiers.js';
import { changeAccount } from '../../server/accounts/accounts.js';
import { type Answered, statusAt } from '../helpers/service/api.js';
import { freezeBucket } from '../helpers/service/buckets.js';
import { eventually } from '../helpers/eventually.js';
import { useProxy } from '../helpers/servers/database-proxy.js';
import { type Tenant, useInstance, useService } from '../helpers/service/service.js';

const service = useService({}, { sharesRateLimits: true });
const second = useInstance(service);
const inMemory = useInstance(service, () => ({}), { sharesRateLimits: false });

interface RateLimitHeaders {
  limit: number;
  remaining: number;
  reset: number;
}

function rateLimitHeadersOf({ headers }: Answered<unknown>): RateLimitHeaders {
  const read = (name: string) => {
    const value = headers.get(`x-ratelimit-${name}`) ?? '';
    expect(value).toMatch(/^\d+$/);
    return Number(value);
  };
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
}

const instances = { memory: inMemory, postgres: service };

describe.each(['memory', 'postgres'] as const)('with buckets in %s', (store) => {
  test.each(['free', 'pro', 'enterprise'] as const)('tier %s has its burst', async (tier) => {
    const tenant = await service.tenant({ tier });
    const { api } = instances[store];
    const { burst, perMinute } = tiers[tier];
    const before = Date.now() / 1000;
    const { limit, remaining, reset } = rateLimitHeadersOf(
      await api(tenant.key).call('listAgents'),
    );
    expect(limit).toBe(burst);
    expect(remaining).toBe(burst - 1);
    expect(reset).toBeGreaterThanOrEqual(Math.floor(before + 60 / perMinute));
  });

  test('all keys of an account share one bucket, and accounts do not', async () => {
    const { api } = instances[store];
    const [ours, theirs] = [await service.tenant(), await service.tenant()];
    const second = await ours.newKey({ permissions: ['manage'] });
    await api(ours.key).call('listAgents');
    const after = rateLimitHeadersOf(await api(second.key).call('listApiKeys'));
    expect(after.remaining).toBeLessThanOrEqual(after.limit - 1);
    expect(rateLimitHeadersOf(await api(theirs.key).call('listAgents')).remaining).toBe(
      after.limit - 1,
    );
  });

  test('after its burst an account gets 429s, which take no token and say when to retry', async () => {
    const { api } = instances[store];
    const { key } = await service.tenant({ tier: 'free' });
    const refused = await exhaust(() => api(key).call('listAgents'));
    expect(refused.body).toMatchObject({ error: { code: 'rate_limited', retry_after: 1 } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(rateLimitHeadersOf(refused).remaining).toBe(0);
    // If a rejected request took a token, the next one would be delayed for ever.
    await eventually(async () => {
      expect((await api(key).call('listAgents')).status).toBe(200);
    });
  });
});

describe('two instances on one database', () => {
  test('allow 100 of 200 concurrent requests at burst 100', async () => {
    const { accountId, newKey } = await service.tenant({ tier: 'free' });
    // Keys that manage keys have a reserve.
    const { key } = await newKey({ permissions: ['read'] });
    const apis = [service.api(key), second.api(key)];
    await Promise.all(apis.map((api) => api.call('listAgents', { query: { limit: 0 } })));
    await freezeBucket(service.database, accountId, tiers.free.burst);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const api = apis[n % apis.length];
        return (await api?.call('getAgent', { path: { agent_id: 'missing' } }))?.status;
      }),
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100);
  });

  test('apply a new tier', async () => {
    const tenant = await service.tenant({ tier: 'free' });
    expect(rateLimitHeadersOf(await second.api(tenant.key).call('listAgents')).limit).toBe(
      tiers.free.burst,
    );
    await service.database.transaction((transaction) =>
      changeAccount(transaction, tenant.accountId, { tier: 'pro' }),
    );
    await eventually(async () => {
      expect(rateLimitHeadersOf(await second.api(tenant.key).call('listAgents')).limit).toBe(
        tiers.pro.burst,
      );
    });
  });
});

describe('an account whose rate the operator has set', () => {
  const cap = ({ accountId }: Tenant, caps: Caps) =>
    service.database.transaction((transaction) => changeAccount(transaction, accountId, { caps }));

  test('has that rate and burst, beyond those of any tier', async () => {
    const tenant = await service.tenant();
    await cap(tenant, { perMinute: 600_000, burst: 60_000 });
    for (const { api } of [service, inMemory]) {
      const { limit, remaining, reset } = rateLimitHeadersOf(
        await api(tenant.key).call('listAgents'),
      );
      expect({ limit, remaining }).toEqual({ limit: 60_000, remaining: 59_999 });
      // One token comes back in a tenth of a millisecond.
      expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 1);
    }
  });

  test.each(['perMinute', 'burst'] as const)(
    'has no limit, no headers and no bucket if its %s is unlimited',
    async (name) => {
      const tenant = await service.tenant({ tier: 'free' });
      await cap(tenant, { [name]: null });
      for (const { api } of [service, inMemory]) {
        const replies = await Promise.all(
          Array.from({ length: 2 * tiers.free.burst }, () => api(tenant.key).call('listAgents')),
        );
        expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
        const headers = replies.flatMap((reply) => [...reply.headers.keys()]);
        expect(headers.filter((header) => header.startsWith('x-ratelimit'))).toEqual([]);
      }
      const where = { accountId: tenant.accountId };
      expect(await service.database.prisma.rateBucket.count({ where })).toBe(0);
      // The operator takes it back.
      await cap(tenant, {});
      await eventually(async () => {
        expect(rateLimitHeadersOf(await tenant.api.call('listAgents')).limit).toBe(100);
      });
    },
  );
});

describe('when the database is unavailable', () => {
  const proxy = useProxy(service);

  test('a local bucket decides, the service stays up, and the shared one counts again afterwards', async () => {
    const tenant = await service.tenant({ tier: 'free' });
    const { api, url, log } = await service.another({
      DATABASE_URL: withConnectTimeout(proxy.url, 5),
    });
    // The key is cached for a moment, which may be too short on a busy machine; then the key cannot be looked up either.
    let during: Answered<unknown>;
    for (;;) {
      await eventually(() => api(tenant.key).expect('listAgents', 200));
      await proxy.cut();
      during = await api(tenant.key).call('listAgents');
      if (during.headers.has('x-ratelimit-limit')) break;
      await proxy.restore();
    }
    expect(during.status).toBe(503);
    expect(rateLimitHeadersOf(during)).toMatchObject({ limit: 100, remaining: 99 });
    expect(log.join('')).toContain('shared rate limit unavailable');
    expect(await statusAt(`${url}/healthz`)).toBe(200);
    expect(await statusAt(`${url}/readyz`)).toBe(503);
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
    expect(await statusAt(`${url}/readyz`)).toBe(200);
  });
});

test('all tiers are tested here', () => {
  expect(tierNames).toEqual(['free', 'pro', 'enterprise']);
});

/** Calls until the response is a 429, and returns that one. */
async function exhaust(call: () => Promise<Answered<unknown>>): Promise<Answered<unknown>> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 50 }, call));
    const refused = answers.find(({ status }) => status === 429);
    if (refused) return refused;
  }
}
