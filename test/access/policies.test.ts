/** The policy cache: what it keeps, for how long, and what invalidates it. */
import { describe, expect, test } from '@jest/globals';
import { createPolicyCache } from '../../server/access/policies.js';
import { newId } from '../../server/lib/data/typeid.js';
import type { Database } from '../../server/postgres/database.js';
import { useFiles } from '../helpers/programs/files.js';

const [agentId, otherAgentId] = [newId('agent'), newId('agent')];

const stored = {
  id: agentId,
  accountId: 'acct_1',
  policy: {},
  account: { tier: 'free', caps: null },
};

const files = useFiles();

/** A database with these agents in every account that counts its queries. */
function databaseWith(agents: (typeof stored)[]) {
  const asked: unknown[] = [];
  const findMany = (query: unknown) => {
    asked.push(query);
    return Promise.resolve(agents);
  };
  const findUnique = async (query: unknown) => (await findMany(query))[0] ?? null;
  const database = { prisma: { agent: { findMany, findUnique } } } as unknown as Database;
  return { asked, policies: createPolicyCache(database, () => undefined) };
}

describe('a policy', () => {
  test.each([
    ['its agent changes', agentId, 2],
    ['another agent changes', otherAgentId, 1],
    ['its account changes', 'acct_1', 2],
    ['another account changes', 'acct_2', 1],
  ])('when %s', async (_what, id, times) => {
    const { asked, policies } = databaseWith([stored]);
    await policies.find('acct_1', 'bot');
    policies.cache.invalidate(id);
    await policies.find('acct_1', 'bot');
    expect(asked).toHaveLength(times);
  });

  test('is queried again when announcements may have been missed', async () => {
    const { asked, policies } = databaseWith([stored]);
    await policies.find('acct_1', 'bot');
    policies.cache.clear();
    await policies.find('acct_1', 'bot');
    expect(asked).toHaveLength(2);
  });

  test('is compiled again only if its settings, or the secret that they refer to, have changed', async () => {
    const file = await files.write('secret', 'a secret of at least thirty-two bytes');
    const agent = { ...stored, policy: { auth: { type: 'jwt', secret: `\${file:${file}}` } } };
    const { policies } = databaseWith([agent]);
    const current = async () => {
      policies.cache.clear();
      return (await policies.find('acct_1', 'bot'))?.policy;
    };
    const first = await current();
    expect(first).toBeDefined();
    expect(await current()).toBe(first);
    expect((await policies.findAll('acct_1'))[0]?.policy).toBe(first);

    await files.write('secret', 'another secret of at least 32 bytes');
    const second = await current();
    expect(second?.tokens).toBeDefined();
    expect(second).not.toBe(first);
    expect(await current()).toBe(second);

    await files.write('secret', 'too short');
    expect(await current()).toBeUndefined();

    agent.policy = { security: { enforceHttps: true } } as never;
    expect(await current()).toMatchObject({ enforceHttps: true });
  });

  test('of an unknown name is found as soon as an agent has that name', async () => {
    const agents: (typeof stored)[] = [];
    const { policies } = databaseWith(agents);
    expect(await policies.find('acct_1', 'bot')).toBeUndefined();
    expect(await policies.findAnywhere('bot')).toBeUndefined();
    agents.push(stored);
    expect(await policies.find('acct_1', 'bot')).toMatchObject({ agentId });
    expect(await policies.findAnywhere('bot')).toMatchObject({ agentId });
  });

  test.each(['', ' ', 'a b', 'bot\u0000', 'acct_1 bot', '../bot', 'x'.repeat(65), 'böt', '*'])(
    'is not queried for "%s", which cannot be the name of an agent',
    async (reference) => {
      const { asked, policies } = databaseWith([stored]);
      expect(await policies.find('acct_1', reference)).toBeUndefined();
      expect(await policies.findAnywhere(reference)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );
});

describe("an account's policies", () => {
  test('are queried once for requests that come together or soon', async () => {
    const { asked, policies } = databaseWith([stored]);
    await Promise.all([policies.findAll('acct_1'), policies.findAll('acct_1')]);
    expect(await policies.findAll('acct_1')).toMatchObject([{ agentId }]);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['an agent changes that had no settings', otherAgentId, 2],
    ['the account changes', 'acct_1', 2],
    ['another account changes', 'acct_2', 1],
  ])('when %s', async (_what, id, times) => {
    const { asked, policies } = databaseWith([stored]);
    await policies.findAll('acct_1');
    policies.cache.invalidate(id);
    await policies.findAll('acct_1');
    expect(asked).toHaveLength(times);
  });
});
