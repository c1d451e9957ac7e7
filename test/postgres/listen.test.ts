import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { changeAccount } from '../../server/accounts/accounts.js';
import { changeAgent } from '../../server/agents/agents.js';
import { type AgentDraft, findDraft, replaceDraft } from '../../server/agents/drafts.js';
import { insertDeployment, reactivate } from '../../server/deployments/deployments.js';
import { expireKey, revokeKey } from '../../server/keys/keys.js';
import { touchKeys } from '../../server/keys/key-use.js';
import type { Transaction } from '../../server/postgres/connection.js';
import { listen } from '../../server/postgres/listen.js';
import { useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { proxyTo } from '../helpers/servers/database-proxy.js';
import { deleteAgent, insertAccount, insertAgent, insertKey } from '../helpers/database/rows.js';

const fixture = useDatabase();
let accountId: string;
let agentId: string;
let heard: string[] = [];
let resets = 0;

useFixture(
  () =>
    listen({
      url: fixture.url,
      channels: { ahs_invalidate: (payload) => heard.push(payload) },
      onReset: () => (resets += 1),
      heartbeatMs: 50,
    }),
  (listener) => listener.close(),
);

beforeAll(async () => {
  accountId = await insertAccount(fixture.database);
  agentId = await insertAgent(fixture.database, accountId);
});

/** The draft of the agent, as it is replaced or deployed. */
async function draftOf(id: string): Promise<AgentDraft> {
  const { database } = fixture;
  const { name } = await database.prisma.agent.findUniqueOrThrow({ where: { id } });
  const draft = await findDraft(database, accountId, name);
  if (!draft) throw new Error('There is no such agent.');
  return draft;
}

const notify = (payload: string) =>
  fixture.database.pool.query('SELECT pg_notify($1, $2)', ['ahs_invalidate', payload]);

/** The notifications before a marker: they arrive in order. */
async function announcedBy(change: () => Promise<unknown>): Promise<string[]> {
  heard = [];
  await change();
  const mark = `mark ${Math.random()}`;
  await notify(mark);
  await eventually(() => {
    expect(heard).toContain(mark);
  });
  return heard.filter((payload) => payload !== mark);
}

const announcedIn = (work: (transaction: Transaction) => Promise<unknown>) =>
  announcedBy(() => fixture.database.transaction(work));

describe('a change that other instances have cached is announced', () => {
  test.each<[string, (transaction: Transaction) => Promise<unknown>]>([
    ['its tier', (transaction) => changeAccount(transaction, accountId, { tier: 'pro' })],
    ['its caps', (transaction) => changeAccount(transaction, accountId, { caps: { webhooks: 7 } })],
    [
      'its budget',
      (transaction) =>
        changeAccount(transaction, accountId, { budget: { tokens: 1_000, window: '1h' } }),
    ],
  ])('when an account changes %s', async (_what, change) => {
    expect(await announcedIn(change)).toEqual([accountId]);
  });

  test('when an agent changes', async () => {
    const change = (transaction: Transaction) =>
      changeAgent(transaction, agentId, { model: 'a/b' });
    expect(await announcedIn(change)).toEqual([agentId]);
  });

  test('when its draft is replaced', async () => {
    const draft = await draftOf(agentId);
    const replace = (transaction: Transaction) => replaceDraft(transaction, agentId, draft);
    expect(await announcedIn(replace)).toEqual([agentId]);
  });

  test('when an agent is deleted, together with its keys', async () => {
    const id = await insertAgent(fixture.database, accountId);
    const key = await insertKey(fixture.database, accountId, { agentId: id });
    const announced = await announcedIn((transaction) => deleteAgent(transaction, accountId, id));
    expect(announced.sort()).toEqual([id, key].sort());
  });

  test('when a deployment is activated or reactivated', async () => {
    const draft = await draftOf(agentId);
    const id = newId('dep');
    const slot = { agentId, environment: 'production' };
    const creation = { createdBy: null, replacedId: null, at: new Date() };
    const deploy = (transaction: Transaction) =>
      insertDeployment(transaction, { ...slot, ...creation, id, version: '1', draft });
    expect(await announcedIn(deploy)).toEqual([agentId]);
    const rollBack = (transaction: Transaction) => reactivate(transaction, id);
    expect(await announcedIn(rollBack)).toEqual([agentId]);
  });

  test('when a key is revoked', async () => {
    const id = await insertKey(fixture.database, accountId);
    const revoke = (transaction: Transaction) => revokeKey(transaction, { accountId, id });
    expect(await announcedIn(revoke)).toEqual([id]);
  });

  test('when a key gets an expiry', async () => {
    const id = await insertKey(fixture.database, accountId);
    const expire = (transaction: Transaction) =>
      expireKey(transaction, { accountId, id }, new Date());
    expect(await announcedIn(expire)).toEqual([id]);
  });

  test('but not when the change is rolled back', async () => {
    const change = async (transaction: Transaction) => {
      await changeAgent(transaction, agentId, { model: 'c/d' });
      throw new Error('a crash in the middle');
    };
    const crash = () => fixture.database.transaction(change).catch(() => undefined);
    expect(await announcedBy(crash)).toEqual([]);
  });

  test('nor when a key is only used', async () => {
    const id = await insertKey(fixture.database, accountId);
    const use = () => touchKeys(fixture.database, new Map([[id, new Date()]]));
    expect(await announcedBy(use)).toEqual([]);
  });
});

describe('a listener', () => {
  test('reconnects after a lost connection, and reports that it may have missed something', async () => {
    const before = resets;
    await cutConnections('agent-hosting-service listener');
    await eventually(() => {
      expect(resets).toBe(before + 1);
    });
    expect(await announcedBy(() => notify('hello again'))).toEqual(['hello again']);
  });

  test('detects a connection that is open but no longer answers', async () => {
    const { rows } = await fixture.database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-hosting-service listener'
        AND datname = current_database()`,
    );
    const before = resets;
    const errors: unknown[] = [];
    const watchful = await listen({
      url: fixture.url,
      channels: { ahs_invalidate: () => undefined },
      onReset: () => (resets += 1),
      onError: (error) => errors.push(error),
      heartbeatMs: 20,
    });
    const found = await fixture.database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-hosting-service listener'
        AND datname = current_database() AND pid <> ALL ($1)`,
      [rows.map(({ pid }) => pid)],
    );
    const pid = found.rows[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      await eventually(() => {
        expect(resets).toBe(before + 1);
      });
    } finally {
      process.kill(pid, 'SIGCONT');
      await watchful.close();
    }
    expect(errors).not.toHaveLength(0);
  });

  test('closes even while it connects to a hanging database', async () => {
    const proxy = await proxyTo(fixture.url);
    const errors: unknown[] = [];
    const listener = await listen({
      url: proxy.url,
      channels: { ahs_invalidate: () => undefined },
      onReset: () => undefined,
      onError: (error) => errors.push(error),
      heartbeatMs: 20,
    });
    proxy.freeze();
    await eventually(() => {
      expect(errors).not.toHaveLength(0);
    });
    await listener.close();
    await proxy.close();
  });

  test('fails with an explanation if the first connection cannot be made', async () => {
    const nowhere = 'postgresql://user:password@127.0.0.1:1/nowhere';
    await expect(listen({ url: nowhere, channels: {}, onReset: () => undefined })).rejects.toThrow(
      'Cannot open the database at 127.0.0.1:1/nowhere: nothing listens there. Check DATABASE_URL',
    );
  });
});

async function cutConnections(applicationName: string): Promise<void> {
  await fixture.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = $1 AND datname = current_database()`,
    [applicationName],
  );
}
