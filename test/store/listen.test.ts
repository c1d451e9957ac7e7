import { beforeAll, describe, expect, test } from '@jest/globals';
import { listen } from '../../server/store/postgres/listen.js';
import { useDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/fixture.js';
import { proxyTo } from '../helpers/proxy.js';
import { insertAccount, insertAgent, insertDeployment, insertKey } from '../helpers/rows.js';

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

const prisma = () => fixture.database.prisma;
const notify = (payload: string) =>
  fixture.database.pool.query('SELECT pg_notify($1, $2)', ['ahs_invalidate', payload]);

/** What was announced until a mark of our own came through: notifications arrive in their order. */
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

describe('what other instances must forget is announced', () => {
  test('when an account changes its tier', async () => {
    const change = () =>
      prisma().account.update({ where: { id: accountId }, data: { tier: 'pro' } });
    expect(await announcedBy(change)).toEqual([`account:${accountId}`]);
  });

  test('when an agent changes', async () => {
    const change = () => prisma().agent.update({ where: { id: agentId }, data: { model: 'a/b' } });
    expect(await announcedBy(change)).toEqual([`agent:${agentId}`]);
  });

  test('when an agent is deleted, together with its keys', async () => {
    const id = await insertAgent(fixture.database, accountId);
    const key = await insertKey(fixture.database, accountId, { agentId: id });
    const announced = await announcedBy(() => prisma().agent.delete({ where: { id } }));
    expect(announced.sort()).toEqual([`agent:${id}`, `key:${key}`].sort());
  });

  test('when a deployment becomes active, or stops being it', async () => {
    let id = '';
    const deploy = async () => {
      id = await insertDeployment(fixture.database, agentId);
    };
    expect(await announcedBy(deploy)).toEqual([`agent:${agentId}`]);
    const rollBack = () =>
      prisma().deployment.update({ where: { id }, data: { status: 'rolled_back' } });
    expect(await announcedBy(rollBack)).toEqual([`agent:${agentId}`]);
  });

  test('when a key is revoked', async () => {
    const id = await insertKey(fixture.database, accountId);
    const revoke = () => prisma().apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    expect(await announcedBy(revoke)).toEqual([`key:${id}`]);
  });

  test('but not when a key is merely used, nor when something new comes into being', async () => {
    const quiet = async () => {
      const id = await insertKey(fixture.database, await insertAccount(fixture.database));
      await prisma().apiKey.update({ where: { id }, data: { lastUsedAt: new Date() } });
    };
    expect(await announcedBy(quiet)).toEqual([]);
  });
});

describe('a listener', () => {
  test('comes back after its connection was cut, and says that it may have missed something', async () => {
    const before = resets;
    await cutConnections('agent-hosting-service listener');
    await eventually(() => {
      expect(resets).toBe(before + 1);
    });
    expect(await announcedBy(() => notify('hello again'))).toEqual(['hello again']);
  });

  test('notices a connection that is there but no longer answers', async () => {
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
      connectTimeoutMs: 3_000,
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

  test('closes even while it connects to a database that hangs', async () => {
    const proxy = await proxyTo(fixture.url);
    const errors: unknown[] = [];
    const listener = await listen({
      url: proxy.url,
      channels: { ahs_invalidate: () => undefined },
      onReset: () => undefined,
      onError: (error) => errors.push(error),
      connectTimeoutMs: 4_000,
      heartbeatMs: 20,
    });
    proxy.freeze();
    await eventually(() => {
      expect(errors).not.toHaveLength(0);
    });
    await listener.close();
    await proxy.close();
  });

  test('says at once if the first connection cannot be made', async () => {
    const nowhere = 'postgresql://user:password@127.0.0.1:1/nowhere';
    await expect(
      listen({ url: nowhere, channels: {}, onReset: () => undefined }),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

async function cutConnections(applicationName: string): Promise<void> {
  await fixture.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = $1 AND datname = current_database()`,
    [applicationName],
  );
}
