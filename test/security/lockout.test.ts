/** One user of an agent, or a caller that is refused, does not use up the requests of the whole account. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { tiers } from '../../server/accounts/tiers.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { createFiles } from '../helpers/programs/files.js';
import type { Answered, Api } from '../helpers/service/api.js';
import { freezeBucket } from '../helpers/service/buckets.js';
import { useInstance, useService } from '../helpers/service/service.js';

const secret = 'a secret of the support bot, of at least 32 bytes';
const { burst } = tiers.free;

const service = useService({}, { sharesRateLimits: true });
const inMemory = useInstance(service, () => ({}), { sharesRateLimits: false });
const instances = { memory: inMemory, postgres: service };

let auth: object;
beforeAll(async () => {
  const files = await createFiles();
  auth = {
    type: 'jwt',
    secret: `\${file:${await files.write('secret', secret)}}`,
    roles: ['viewer'],
  };
});

/** An account with a small burst, its administrator's key, and an agent whose users have tokens. */
async function createAccount(security: object = {}) {
  const tenant = await service.tenant({ tier: 'free' });
  const { id } = await tenant.newAgent({ policy: { auth, security } });
  const backend = await tenant.newKey({ permissions: ['read', 'write'] });
  return { ...tenant, path: { agent_id: id }, backendKey: backend.key };
}

function tokenOf(user: string, role = 'viewer'): string {
  return signToken(secret, { ...usualClaims(), user_id: user, role });
}

const remainingIn = ({ headers }: Answered<unknown>) =>
  Number(headers.get('x-ratelimit-remaining') ?? NaN);

function repeat(times: number, call: () => Promise<Answered<unknown>>) {
  return Promise.all(Array.from({ length: times }, call));
}

async function exhaust(call: () => Promise<Answered<unknown>>): Promise<void> {
  for (;;) {
    const answers = await repeat(50, call);
    if (answers.some(({ status }) => status === 429)) return;
  }
}

describe.each(['memory', 'postgres'] as const)('with buckets in %s', (store) => {
  const as = (key: string): Api => instances[store].api(key);

  test('one user has half of the requests, and the rest is left to other users and keys', async () => {
    const { path, key, backendKey } = await createAccount();
    const answers = await repeat(3 * burst, () => as(tokenOf('greedy')).call('getAgent', { path }));
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
      error: { message: expect.stringMatching(/^Rate limit of one user exceeded\. Retry in /) },
    });
    for (const other of [tokenOf('modest'), backendKey, key]) {
      const answer = await as(other).call('getAgent', { path });
      expect(answer.status).toBe(200);
      expect(remainingIn(answer)).toBeGreaterThanOrEqual(burst / 2 - 5);
    }
  });

  test('tokens of a user for several agents share one part', async () => {
    const { path, newAgent, backendKey } = await createAccount();
    const other = { agent_id: (await newAgent({ policy: { auth } })).id };
    for (const agent of [path, other]) {
      await repeat(2 * burst, () => as(tokenOf('greedy')).call('getAgent', { path: agent }));
    }
    const answer = await as(backendKey).call('getAgent', { path });
    expect(remainingIn(answer)).toBeGreaterThanOrEqual(burst / 2 - 5);
  });

  test('the administrator’s key works when everything is used up', async () => {
    const { path, key, backendKey } = await createAccount();
    await exhaust(() => as(backendKey).call('getAgent', { path }));
    const answers = await repeat(5, () => as(key).call('listApiKeys'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Math.min(...answers.map(remainingIn))).toBe(0);
  });

  test('requests that an address list refuses take no token', async () => {
    const { path, key, backendKey } = await createAccount({
      ipWhitelist: { enabled: true, addresses: ['203.0.113.1'] },
    });
    for (const caller of [tokenOf('elsewhere'), backendKey]) {
      const refused = await repeat(2 * burst, () => as(caller).call('getAgent', { path }));
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403]));
      expect(new Set(refused.map(remainingIn))).toEqual(new Set([burst]));
    }
    expect(remainingIn(await as(key).call('listAgents'))).toBe(burst - 1);
  });

  test('requests without the permission, or beyond the agent’s limit, take no token', async () => {
    const { path, key, backendKey } = await createAccount({
      rateLimit: { enabled: true, requests: 1, window: '1h' },
    });
    await repeat(2 * burst, () => as(backendKey).call('deleteAgent', { path }));
    await repeat(2 * burst, () => as(tokenOf('greedy', 'none')).call('getAgent', { path }));
    const answers = await repeat(2 * burst, () => as(tokenOf('greedy')).call('getAgent', { path }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(remainingIn(await as(key).call('listAgents'))).toBeGreaterThanOrEqual(burst - 2);
  });
});

test('a request beyond the account’s limit takes no token of the user or the agent', async () => {
  const requests = 20;
  const { accountId, path, backendKey } = await createAccount({
    rateLimit: { enabled: true, requests, window: '1h' },
  });
  await service.api(backendKey).expect('listAgents', 200);
  await freezeBucket(service.database, accountId, 0);
  const refused = await repeat(50, () => service.api(tokenOf('user')).call('getAgent', { path }));
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
  const held = await service.database.prisma.rateBucket.findMany({
    where: { accountId, agentId: { not: '' } },
    select: { tokens: true },
    orderBy: { tokens: 'asc' },
  });
  expect(held).toEqual([{ tokens: requests }, { tokens: burst / 2 }]);
});

test('no name of a user is stored with a bucket', async () => {
  const { accountId, path } = await createAccount();
  const user = newId('req');
  await service.api(tokenOf(user)).expect('getAgent', 200, { path });
  const buckets = await service.database.prisma.rateBucket.findMany({ where: { accountId } });
  expect(buckets).toHaveLength(2);
  expect(JSON.stringify(buckets)).not.toContain(user);
});
