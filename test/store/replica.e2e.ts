/** Reads from a streaming replica see what was written before, and whatever happens to the replica, none of them fails. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/typeid.js';
import { readLogPage } from '../../server/store/log-entries.js';
import { type OpenDatabase, openTestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { recordHistory } from '../helpers/history.js';
import { type ReplicatedDatabase, startReplicated } from '../helpers/replica.js';
import { insertAccount, insertAgent } from '../helpers/rows.js';
import {
  startInstance,
  tenantOf,
  type Tenant,
  type TestInstance,
  besides,
} from '../helpers/service.js';

const timeoutMs = 120_000;
const longMs = 60_000;

let replicated: ReplicatedDatabase;
let database: OpenDatabase;
let owner: { accountId: string; agentId: string };
const warnings: string[] = [];

beforeAll(async () => {
  replicated = await startReplicated();
  database = await open();
  const accountId = await insertAccount(database);
  owner = { accountId, agentId: await insertAgent(database, accountId) };
}, timeoutMs);
afterAll(async () => {
  await database.close();
  await replicated.close();
}, timeoutMs);
beforeEach(() => untilUsed(), timeoutMs);
afterEach(() => {
  warnings.length = 0;
});

/** A lag that only a replica in trouble has, also on a machine that is busy. */
const open = (url = replicated.replicaUrl, maxLagMs = 10_000) =>
  openTestDatabase(replicated.url, {
    replica: { url, maxLagMs },
    warn: (message) => warnings.push(message),
  });

const untilUsed = (of = () => database) =>
  eventually(() => {
    expect(of().hasReplica()).toBe(true);
  }, longMs);

/** Whether a replica served the statement. */
async function servedByReplica(from: OpenDatabase = database, work = ''): Promise<boolean> {
  const text = `SELECT pg_is_in_recovery() AS "isReplica" ${work}`;
  const [row] = await from
    .searches(owner.accountId)
    .run<{ isReplica: boolean }>({ name: `who_${work.length}`, text }, []);
  return row?.isReplica === true;
}

/** Writes an entry and counts all of them right afterwards. */
async function writeAndCount(from: OpenDatabase = database): Promise<number> {
  const log = { at: Date.now(), level: 'info' as const };
  await recordHistory(database, owner, [{ at: log.at, durationMs: 1, failed: false, logs: [log] }]);
  const { total } = await readLogPage(from.searches(owner.accountId), {
    agentId: owner.agentId,
    level: undefined,
    requestId: undefined,
    range: { from: -Infinity, to: Infinity },
    limit: 1,
    offset: 0,
  });
  return total;
}

describe('A replica', () => {
  test(
    'serves reads, each of which sees what was written before it, also by another instance',
    async () => {
      const other = await open();
      await untilUsed(() => other);
      const first = await writeAndCount();
      for (let n = 1; n <= 60; n += 1) {
        expect(await writeAndCount(n % 2 ? other : database)).toBe(first + n);
      }
      expect([await servedByReplica(), await servedByReplica(other)]).toEqual([true, true]);
      await other.close();
      expect(warnings).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'that is behind is not used until it has caught up',
    async () => {
      const impatient = await open(replicated.replicaUrl, 200);
      await untilUsed(() => impatient);
      await replicated.onReplica('SELECT pg_wal_replay_pause()');
      const first = await writeAndCount(impatient);
      for (let n = 1; n <= 5; n += 1) expect(await writeAndCount(impatient)).toBe(first + n);
      expect(await servedByReplica(impatient)).toBe(false);
      expect(warnings.join()).toMatch(/not used.*200 ms behind/);
      await replicated.onReplica('SELECT pg_wal_replay_resume()');
      await untilUsed(() => impatient);
      expect(await writeAndCount(impatient)).toBe(first + 6);
      await impatient.close();
    },
    timeoutMs,
  );

  test(
    'that is lost fails no read, and is used again after its return',
    async () => {
      const reads = Array.from({ length: 4 }, async () => {
        const total = await writeAndCount();
        await servedByReplica(database, ', pg_sleep(0.3)');
        return total;
      });
      await replicated.killReplica();
      expect(await Promise.all(reads)).toHaveLength(4);
      expect(await servedByReplica()).toBe(false);
      await writeAndCount();
      await replicated.startReplica();
      await untilUsed();
      expect(await servedByReplica()).toBe(true);
    },
    timeoutMs,
  );

  test(
    'that hangs holds nobody up for long',
    async () => {
      await replicated.signalReplica('SIGSTOP');
      const reads = Array.from({ length: 4 }, () => writeAndCount());
      expect(await Promise.all(reads)).toHaveLength(4);
      expect(await servedByReplica()).toBe(false);
      await replicated.signalReplica('SIGCONT');
      await untilUsed();
    },
    timeoutMs,
  );

  test(
    'that cancels a statement, because it is in the way of the replay, stays in use',
    async () => {
      await writeAndCount();
      // Reads rows that a VACUUM of the primary removes meanwhile.
      const work = ', (SELECT count(*) FROM log_entries WHERE pg_sleep(0.02) IS NOT NULL)';
      const reading = servedByReplica(database, work);
      await eventually(async () => {
        const running = await replicated.onReplica(
          `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.02)%' AND pid <> pg_backend_pid()`,
        );
        expect(running).not.toEqual([]);
      }, longMs);
      await replicated.onPrimary('DELETE FROM log_entries');
      await replicated.onPrimary('DELETE FROM usage_rollups');
      await replicated.onPrimary('DELETE FROM usage_deltas');
      await replicated.onPrimary('VACUUM log_entries');
      expect(await reading).toBe(false);
      expect(database.hasReplica()).toBe(true);
    },
    timeoutMs,
  );

  test(
    'that is none is not used',
    async () => {
      const wrong = await open(replicated.url);
      await eventually(() => {
        expect(warnings.join()).toMatch(/It is no longer a replica/);
      }, longMs);
      expect(await writeAndCount(wrong)).toBeGreaterThan(0);
      expect(wrong.hasReplica()).toBe(false);
      await wrong.close();
    },
    timeoutMs,
  );
});

describe('The service with a replica', () => {
  let instances: TestInstance[];
  let tenant: Tenant;

  beforeAll(async () => {
    const environment = {
      ...besides({ databaseUrl: replicated.url }),
      DATABASE_REPLICA_URL: replicated.replicaUrl,
      DATABASE_REPLICA_MAX_LAG_MS: '10000',
    };
    instances = [await startInstance(environment), await startInstance(environment)];
    const [first] = instances;
    if (!first) throw new Error('There is no instance.');
    tenant = await tenantOf(database, await insertAccount(database), first.api);
  }, timeoutMs);
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
  }, timeoutMs);

  test(
    'finds what was answered, cleared and deleted before, at every instance',
    async () => {
      const { id } = await tenant.newAgent();
      const path = { agent_id: id };
      const apis = instances.map(({ api }) => api(tenant.key));
      for (let n = 1; n <= 10; n += 1) {
        for (const [at, api] of apis.entries()) {
          const text = `parcel ${newId('req')}`;
          const asked = await api.expect('invokeAgent', 200, { path, body: { message: text } });
          const other = apis[1 - at] ?? api;
          const logs = await other.expect('getLogs', 200, {
            path,
            query: { request_id: asked.data.request_id },
          });
          expect(logs.data).not.toEqual([]);
          const found = await other.expect('searchMemory', 200, { path, body: { query: text } });
          expect(found.data[0]?.content).toContain(text);
        }
      }
      const [one, other] = apis;
      await one?.expect('clearMemory', 200, { path });
      const cleared = await other?.expect('searchMemory', 200, { path, body: { query: 'parcel' } });
      expect(cleared?.data).toEqual([]);
      await one?.expect('deleteAgent', 200, { path });
      await other?.expect('searchMemory', 404, { path, body: { query: 'parcel' } });
    },
    timeoutMs,
  );
});
