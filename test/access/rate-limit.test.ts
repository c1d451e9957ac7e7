/** security.rateLimit: a bucket per agent, in addition to the account's, shared by all instances. */
import { describe, expect, test } from '@jest/globals';
import { freezeBucket } from '../helpers/service/buckets.js';
import { eventually } from '../helpers/eventually.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService({}, { sharesRateLimits: true });
const tenant = useTenant(service);

const limited = (requests: number, window = '1h', enabled = true) => ({
  policy: { security: { rateLimit: { enabled, requests, window } } },
});

const ask = (agent: string, api = tenant.api) =>
  api.call('getAgent', { path: { agent_id: agent } });

async function statuses(agent: string, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push((await ask(agent)).status);
  return found;
}

describe('an agent with a limit', () => {
  test.each([
    ['1 a day', 1, '1d', 86_400],
    ['3 an hour', 3, '1h', 1_200],
    ['5 in 10 minutes', 5, '10m', 120],
    ['2 in 3000 seconds', 2, '3000s', 1_500],
    ['2 in 3000000 milliseconds', 2, '3000000ms', 1_500],
  ])(
    'of %s accepts that many at once, and says when to retry',
    async (_what, requests, window, wait) => {
      const { id } = await tenant.newAgent(limited(requests, window));
      const answers = await statuses(id, requests);
      expect(new Set(answers)).toEqual(new Set([200]));
      await freezeBucket(service.database, id, 0);
      const { status, headers, body } = await ask(id);
      expect(status).toBe(429);
      const seconds = Number(headers.get('retry-after'));
      expect(body).toMatchObject({ error: { code: 'rate_limited', retry_after: seconds } });
      // The bucket has begun to refill.
      expect(seconds).toBeLessThanOrEqual(wait);
      expect(seconds).toBeGreaterThan(wait - 60);
    },
  );

  test('counts requests by id and by name, of every operation and caller, together', async () => {
    const { id, name } = await tenant.newAgent(limited(4));
    const { key } = await tenant.newKey({ agentId: id });
    expect((await ask(id)).status).toBe(200);
    expect((await ask(name)).status).toBe(200);
    expect((await ask(id, service.api(key))).status).toBe(200);
    const call = { path: { agent_id: id } };
    expect((await tenant.api.call('listDeployments', call)).status).toBe(200);
    for (const operationId of ['getAgent', 'listDeployments', 'clearMemory'] as const) {
      await tenant.api.expect(operationId, 429, call);
    }
  });

  test('counts across instances', async () => {
    const another = await service.another();
    const { id } = await tenant.newAgent(limited(2));
    expect((await ask(id)).status).toBe(200);
    expect((await ask(id, another.api(tenant.key))).status).toBe(200);
    expect((await ask(id)).status).toBe(429);
    expect((await ask(id, another.api(tenant.key))).status).toBe(429);
  });

  test('is exact for concurrent requests', async () => {
    const { id } = await tenant.newAgent(limited(7));
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(23);
  });

  test('does not change the rate-limit headers, which describe the account', async () => {
    const { id } = await tenant.newAgent(limited(1));
    for (const { headers } of [await ask(id), await ask(id)]) {
      expect(headers.get('x-ratelimit-limit')).toBe('20000');
      expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(19_000);
    }
  });

  test('delays no other agent', async () => {
    const { id } = await tenant.newAgent(limited(1));
    const free = await tenant.newAgent();
    expect(await statuses(id, 2)).toEqual([200, 429]);
    expect((await ask(free.id)).status).toBe(200);
  });

  test('takes no token for a request that was rejected before', async () => {
    const { id } = await tenant.newAgent(limited(1));
    const { key } = await tenant.newKey({ agentId: id, permissions: ['write'] });
    const stranger = await service.tenant();
    const elsewhere = await tenant.newAgent();
    const scoped = await tenant.newKey({ agentId: elsewhere.id });
    expect((await ask(id, service.api(key))).status).toBe(403);
    expect((await ask(id, service.api('nonsense'))).status).toBe(401);
    expect((await ask(id, stranger.api)).status).toBe(404);
    expect((await ask(id, service.api(scoped.key))).status).toBe(404);
    expect(await statuses(id, 2)).toEqual([200, 429]);
  });

  test('that is disabled accepts more', async () => {
    const { id } = await tenant.newAgent(limited(1, '1h', false));
    expect(await statuses(id, 3)).toEqual([200, 200, 200]);
  });

  test('accepts the next request when the bucket has a token again', async () => {
    const { id } = await tenant.newAgent(limited(1, '5s'));
    const together = await Promise.all([ask(id), ask(id), ask(id)]);
    expect(together.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
    await eventually(async () => {
      expect((await ask(id)).status).toBe(200);
    });
  });
});

const badWindows = [
  '0s',
  '999ms',
  '2d',
  '25h',
  '9999999d',
  '-1s',
  '1.5m',
  '1w',
  '1 m',
  'm',
  '60',
  '1M',
  '1m1s',
];

test.each(badWindows)('a window of %s is invalid, so every request is rejected', async (window) => {
  const { id } = await tenant.newAgent(limited(1, window));
  expect((await ask(id)).status).toBe(503);
});
