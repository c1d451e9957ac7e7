/** Cached keys and policies: dropped when a change is announced, and within a second without an announcement. */
import { describe, expect, test } from '@jest/globals';
import { createKeyCache } from '../../server/keys/key-cache.js';
import { issueKey, revokeKey } from '../../server/keys/keys.js';
import { createPolicyCache } from '../../server/access/policies.js';
import { findDraft, replaceDraft } from '../../server/agents/drafts.js';
import { listenForChanges } from '../../server/postgres/changes.js';
import { useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';
import { useStoppedClock } from '../helpers/stopped-clock.js';
import { testSecrets } from '../helpers/service/service.js';

const made = useDatabase();

const clock = useStoppedClock();

/** The caches of an instance that listens to the database's notifications. */
const instance = useFixture(
  async () => {
    const policies = createPolicyCache(made.database, () => undefined);
    const keys = createKeyCache(made.database, testSecrets, () => undefined);
    const listener = await listenForChanges({
      url: made.url,
      onChange: (id) => {
        for (const { cache } of [keys, policies]) cache.invalidate(id);
      },
      onReset: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
    return { policies, keys, stop: () => listener.close() };
  },
  ({ stop }) => stop(),
  { perTest: true },
);

async function newKey(): Promise<{ accountId: string; id: string; key: string }> {
  const accountId = await insertAccount(made.database);
  const { record, key } = await issueKey(made.database, testSecrets, {
    accountId,
    agentId: null,
    name: 'test key',
    permissions: ['read'],
    createdBy: null,
    expiresAt: null,
  });
  return { accountId, id: record.id, key };
}

describe('a revoked key', () => {
  test('is dropped from the cache when its revocation is announced, before any time has passed', async () => {
    const { accountId, id, key } = await newKey();
    expect(await instance.keys.identify(key)).toMatchObject({ keyId: id });
    await made.database.transaction((transaction) => revokeKey(transaction, { accountId, id }));
    await eventually(async () => {
      expect(await instance.keys.identify(key)).toBeUndefined();
    });
  });

  test('is dropped from the cache in less than a second without an announcement', async () => {
    const { id, key } = await newKey();
    await instance.keys.identify(key);
    await made.database.prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    expect(await instance.keys.identify(key)).toMatchObject({ keyId: id });
    clock.advance(999);
    expect(await instance.keys.identify(key)).toBeUndefined();
  });
});

describe('a policy that has changed', () => {
  const policy = { security: { enforceHttps: true } };

  async function newAgent() {
    const accountId = await insertAccount(made.database);
    const id = await insertAgent(made.database, accountId);
    const enforcesHttps = async () => {
      const found = await instance.policies.find(accountId, id);
      return found?.policy?.enforceHttps;
    };
    return { accountId, id, enforcesHttps };
  }

  test('is dropped from the cache when the change is announced, before any time has passed', async () => {
    const { accountId, id, enforcesHttps } = await newAgent();
    expect(await enforcesHttps()).toBe(false);
    const { name } = await made.database.prisma.agent.findUniqueOrThrow({ where: { id } });
    await made.database.transaction(async (transaction) => {
      const draft = await findDraft(transaction, accountId, name);
      if (!draft) throw new Error('There is no such agent.');
      await replaceDraft(transaction, id, { ...draft, policy });
    });
    await eventually(async () => {
      expect(await enforcesHttps()).toBe(true);
    });
  });

  test('is dropped from the cache in less than a second without an announcement', async () => {
    const { id, enforcesHttps } = await newAgent();
    await enforcesHttps();
    await made.database.prisma.agent.update({ where: { id }, data: { policy } });
    expect(await enforcesHttps()).toBe(false);
    clock.advance(999);
    expect(await enforcesHttps()).toBe(true);
  });
});
