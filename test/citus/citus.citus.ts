/** `npm run test:citus`: the service on a distributed PostgreSQL, a coordinator and two workers on loopback. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { pruneByAge } from '../../server/process/housekeeping.js';
import { createPartitions } from '../../server/postgres/retention/retention.js';
import { distributedTables, referenceTables } from '../../server/postgres/distribute.sql.js';
import { send } from '../helpers/service/api.js';
import { openTestDatabase, type OpenDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { remainingRows } from '../helpers/database/large-agent.js';
import { purgeAll } from '../helpers/database/purging.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { startReceiver } from '../helpers/servers/receiver.js';
import {
  environmentFor,
  startInstance,
  startTestService,
  type Tenant,
  type TestInstance,
  testSecretsKey,
} from '../helpers/service/service.js';
import { kills } from '../faults/faults.js';
import { during } from '../faults/report.js';
import { startRig } from '../faults/rig.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { citusBin, type CitusCluster, installationHint, startCitusCluster } from './cluster.js';
import { interruptRuns } from './interrupted-runs.js';
import { startLoad } from './load.js';
import { tickOnCitus } from './schedules.js';
import { tenantOn, workerOf } from './tenants.js';

jest.setTimeout(600_000);

if (citusBin === undefined) process.stdout.write(`${installationHint}\n`);
const describeOnCitus = citusBin === undefined ? describe.skip : describe;

/** Functions that stop what was started. */
const started: (() => Promise<unknown>)[] = [];
let cluster: CitusCluster;
let database: OpenDatabase;
let instance: TestInstance;
let other: TestInstance;
let tenants: Tenant[];

const environment = () => ({
  ...environmentFor({ databaseUrl: cluster.coordinator.url }),
  ALLOW_PRIVATE_TARGETS: 'true',
});

describeOnCitus('on a Citus cluster', () => {
  beforeAll(async () => {
    cluster = await startCitusCluster();
    started.push(cluster.stop);
  });

  afterAll(async () => {
    for (const stop of started.reverse()) await stop();
  });

  test('a backup of a single PostgreSQL is restored and distributed, and a second run changes nothing', async () => {
    const operator = operatorProcess(environment);
    const before = await startTestService();
    const moved = await before.tenant();
    const { id: agentId } = await moved.newAgent();
    const path = { agent_id: agentId };
    await moved.api.expect('invokeAgent', 200, { path, body: { message: 'Where is my parcel?' } });
    const file = join(await temporaryFolder(), 'moved.backup');
    await operatorProcess(() => environmentFor(before)).json('backup', file, '--json');
    await before.stop();
    await operator.json('restore', file, '--json');
    const first = await operator.json('database', 'distribute', '--json');
    expect(first).toEqual({ distributed: [...referenceTables, ...distributedTables] });
    expect(await operator.json('database', 'distribute', '--json')).toEqual({ distributed: [] });
    const { code, stderr } = await operator.run(['backup', '-']);
    expect(code).toBe(1);
    expect(stderr).toContain('citus_create_restore_point');

    database = await openTestDatabase(cluster.coordinator.url);
    started.push(() => database.close());
    instance = await startInstance(environment());
    other = await startInstance(environment());
    started.push(() => Promise.all([instance.stop(), other.stop()]));
    const api = instance.api(moved.key);
    expect((await api.expect('getLogs', 200, { path })).pagination.total).toBe(1);
    const found = await api.expect('searchMemory', 200, { path, body: { query: 'parcel' } });
    expect(found.data).toHaveLength(2);
    tenants = await Promise.all(
      cluster.workers.map((worker) => tenantOn(cluster, worker, database, instance)),
    );
    const ports = await Promise.all(tenants.map(({ accountId }) => workerOf(cluster, accountId)));
    expect(ports).toEqual(cluster.workers.map(({ port }) => port));
  });

  test('all 18 operations work in accounts on different workers', async () => {
    await Promise.all(tenants.map(callEveryOperation));
  });

  test('the messages of a session are answered in order, by two instances', async () => {
    await Promise.all(
      tenants.map(async (tenant) => {
        const { id } = await tenant.newAgent();
        const api = (n: number) => (n % 2 === 0 ? tenant.api : other.api(tenant.key));
        const context = { session_id: 'chat', user_id: 'ada' };
        const invoked = Array.from({ length: 12 }, (_, n) =>
          api(n).expect('invokeAgent', 200, {
            path: { agent_id: id },
            body: { message: `message ${n}`, context },
          }),
        );
        await Promise.all(invoked);
        const turns = await database.prisma.memoryEntry.findMany({
          where: { accountId: tenant.accountId, agentId: id },
          orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
          select: { role: true, requestId: true },
        });
        expect(turns).toHaveLength(24);
        for (let n = 0; n < turns.length; n += 2) {
          expect([turns[n]?.role, turns[n + 1]?.role]).toEqual(['user', 'agent']);
          expect(turns[n]?.requestId).toBe(turns[n + 1]?.requestId);
        }
      }),
    );
  });

  test('schedules are due once, on two instances, and the operator runs, pauses and resumes them', async () => {
    await Promise.all(tenants.map((tenant) => tickOnCitus({ database, tenant })));
  });

  test('a repeat with the same Idempotency-Key gets the same response from either instance', async () => {
    for (const tenant of tenants) {
      const { id } = await tenant.newAgent();
      const call = {
        path: { agent_id: id },
        headers: { 'idempotency-key': 'once' },
        body: { message: 'once' },
      };
      const first = await tenant.api.call('invokeAgent', call);
      const again = await other.api(tenant.key).call('invokeAgent', call);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
  });

  test('a stream is resumed by another instance', async () => {
    for (const tenant of tenants) {
      const { id } = await tenant.newAgent();
      const stream = async (url: string, headers: Record<string, string> = {}) => {
        const response = await send(url, 'invokeAgent', {
          path: { agent_id: id },
          headers: {
            authorization: `Bearer ${tenant.key}`,
            accept: 'text/event-stream',
            'idempotency-key': 'stream',
            ...headers,
          },
          body: { message: 'several words to be sent in pieces' },
        });
        return (await response.text()).match(/^(event|data): .*$/gm);
      };
      const sent = await stream(instance.url);
      expect(sent?.at(-2)).toBe('event: done');
      expect(await stream(other.url, { 'last-event-id': '0' })).toEqual(sent);
    }
  });

  test('two processes share asynchronous invocations and webhooks, even if one of them is killed', async () => {
    const receiver = await startReceiver();
    const processes = await Promise.all(
      [0, 1].map(() => startServiceProcess({ environment: environment() })),
    );
    const [first, second] = processes;
    if (!first || !second) throw new Error('There should be two processes.');
    try {
      const accepted: string[] = [];
      for (const tenant of tenants) {
        const { id } = await tenant.newAgent();
        const webhook = { url: receiver.url, agent_id: id, events: ['agent.completed'] };
        await tenant.api.expect('createWebhook', 201, { body: webhook });
        for (let n = 0; n < 60; n += 1) {
          const { data } = await tenant.api.expect('invokeAgent', 202, {
            path: { agent_id: id },
            headers: { prefer: 'respond-async' },
            body: { message: `message ${n}` },
          });
          accepted.push(data.request_id);
          if (n === 30 && tenant === tenants[0]) await first.end('SIGKILL');
        }
      }
      const received = () =>
        new Set(
          receiver.receipts.map(
            ({ body }) =>
              (JSON.parse(body.toString()) as { data: { request_id: string } }).data.request_id,
          ),
        );
      await eventually(() => {
        expect([...received()].sort()).toEqual(accepted.sort());
      }, 60_000);
      const rows = await database.prisma.invocation.groupBy({
        by: 'status',
        where: { id: { in: accepted } },
        _count: true,
      });
      expect(rows).toEqual([{ status: 'succeeded', _count: accepted.length }]);
      const logged = await database.prisma.logEntry.count({
        where: { requestId: { in: accepted }, message: { startsWith: 'Invocation' } },
      });
      expect(logged).toBe(accepted.length);
    } finally {
      await Promise.all(processes.map((one) => one.end('SIGKILL')));
      await receiver.close();
    }
  });

  test('a run goes on after its last step, which is stored with its account, though its instance is killed', async () => {
    await interruptRuns({ cluster, database, tenants, environment: environment() });
  });

  test('nothing acknowledged is lost or done twice, though instances are killed', async () => {
    const rig = await startRig(cluster.coordinator.url, {
      environments: [{}, {}],
      clients: 4,
      secretsKey: testSecretsKey,
    });
    try {
      const result = await during('kills', kills(10), rig);
      expect(result).toMatchObject({
        lost: [],
        twice: [],
        violations: [],
        surprises: [],
        ended: [],
      });
      expect(result.acknowledged).toBeGreaterThan(20);
    } finally {
      await rig.stop();
    }
  });

  test('the rows of a deleted agent are deleted', async () => {
    const [tenant] = tenants;
    if (!tenant) throw new Error('There is no tenant.');
    const { id } = await tenant.newAgent();
    const path = { agent_id: id };
    for (const message of ['one', 'two']) {
      await tenant.api.expect('invokeAgent', 200, { path, body: { message } });
    }
    const { log_entries: logged } = await remainingRows(database, id);
    expect(logged).toBe(2);
    await tenant.api.expect('deleteAgent', 200, { path });
    await purgeAll(database);
    const remaining = Object.values(await remainingRows(database, id));
    expect(remaining.length).toBeGreaterThan(0);
    expect(remaining.filter((rows) => rows > 0)).toEqual([]);
  });

  test('retention drops partitions on every server', async () => {
    const [tenant] = tenants;
    if (!tenant) throw new Error('There is no tenant.');
    const { id } = await tenant.newAgent();
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message: 'old' },
    });
    const dayMs = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * dayMs);
    const options = (days: number) => ({ days: 6, now: at(days) });
    const rowsOf = () =>
      database.prisma.logEntry.count({ where: { accountId: tenant.accountId, agentId: id } });
    // The instances have made partitions of a month.
    for (const days of [100, 110, 120]) await createPartitions(database, options(days));
    expect(await rowsOf()).toBe(1);
    const before = await partitionsOf('log_entries');
    // A step gives up when another statement holds the table.
    await eventually(async () => {
      await pruneByAge(database, options(200));
      expect(await rowsOf()).toBe(0);
    }, 60_000);
    expect((await partitionsOf('log_entries')).length).toBeLessThan(before.length);
    const left = await Promise.all(
      cluster.workers.map((worker) =>
        worker.query(`SELECT FROM pg_class WHERE relname LIKE 'log_entries_p2%' AND relkind = 'r'`),
      ),
    );
    expect(left.every((shards) => shards.length < 16 * before.length)).toBe(true);
  });

  test('a worker is added and shards move to it, while requests go on', async () => {
    const load = startLoad(tenants);
    const added = await cluster.newNode();
    await cluster.coordinator.query(`SELECT citus_add_node('127.0.0.1', ${added.port})`);
    await cluster.coordinator.query(
      `SELECT rebalance_table_shards(shard_transfer_mode := 'force_logical')`,
    );
    const { answered, failures } = await load.stop();
    const [shards] = await cluster.coordinator.query<{ count: number }>(
      `SELECT count(*)::int FROM citus_shards WHERE nodeport = ${added.port} AND citus_table_type = 'distributed'`,
    );
    expect(shards?.count).toBeGreaterThan(0);
    expect(answered).toBeGreaterThan(50);
    expect(failures).toEqual([]);
  });

  test('while a worker is stopped its accounts get 503, and other accounts are unaffected', async () => {
    const worker = cluster.workers.at(-1);
    if (!worker) throw new Error('There is no worker.');
    const [away] = await Promise.all([tenantOn(cluster, worker, database, instance)]);
    const there = cluster.workers[0];
    if (!there) throw new Error('There is no other worker.');
    const near = await tenantOn(cluster, there, database, instance);
    const [awayAgent, nearAgent] = [await away.newAgent(), await near.newAgent()];
    const invoke = (tenant: Tenant, id: string) =>
      tenant.api.call('invokeAgent', { path: { agent_id: id }, body: { message: 'hello' } });
    expect((await invoke(away, awayAgent.id)).status).toBe(200);
    expect((await invoke(near, nearAgent.id)).status).toBe(200);
    await worker.stop();
    try {
      for (let n = 0; n < 20; n += 1) {
        expect((await invoke(near, nearAgent.id)).status).toBe(200);
        expect((await invoke(away, awayAgent.id)).status).toBe(503);
      }
      const path = { agent_id: nearAgent.id };
      await near.api.expect('getLogs', 200, { path });
      await near.api.expect('searchMemory', 200, { path, body: { query: 'hello' } });
    } finally {
      await worker.start();
    }
    await eventually(async () => {
      expect((await invoke(away, awayAgent.id)).status).toBe(200);
    }, 30_000);
  });
});

async function partitionsOf(table: string): Promise<object[]> {
  return cluster.coordinator.query(
    `SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = $1::text::regclass`,
    [table],
  );
}

async function callEveryOperation({ api, newAgent }: Tenant): Promise<void> {
  const { id } = await newAgent();
  const path = { agent_id: id };
  const deploy = (version: string) =>
    api.expect('createDeployment', 201, { path, body: { version, environment: 'production' } });
  const invoked = await api.expect('invokeAgent', 200, {
    path,
    body: { message: 'Where is my parcel?', context: { user_id: 'ada', session_id: 'chat' } },
  });
  const agents = await api.expect('listAgents', 200);
  expect(agents.data.map((agent) => agent.id)).toContain(id);
  await api.expect('getAgent', 200, { path });
  await api.expect('updateAgent', 200, { path, body: { temperature: 0.5 } });
  await deploy('1');
  const { data: second } = await deploy('2');
  const rollback = { agent_id: id, deployment_id: second.id };
  const { data: active } = await api.expect('rollbackDeployment', 200, { path: rollback });
  expect(active.version).toBe('1');
  expect((await api.expect('listDeployments', 200, { path })).pagination.total).toBe(2);
  const logs = await api.expect('getLogs', 200, { path });
  expect(logs.data.map((entry) => entry.metadata.request_id)).toContain(invoked.data.request_id);
  expect(logs.pagination.total).toBe(logs.data.length);
  const metrics = await api.expect('getMetrics', 200, {
    path,
    query: { metric: 'throughput', granularity: '1m' },
  });
  expect(metrics.data.values.some(({ value }) => value > 0)).toBe(true);
  const found = await api.expect('searchMemory', 200, { path, body: { query: 'parcel' } });
  expect(found.data.map((entry) => entry.content)).toContain('Where is my parcel?');
  const { data: webhook } = await api.expect('createWebhook', 201, {
    body: { url: 'https://example.com/hook', events: ['agent.failed'] },
  });
  expect((await api.expect('listWebhooks', 200)).data.map((one) => one.id)).toContain(webhook.id);
  await api.expect('deleteWebhook', 200, { path: { webhook_id: webhook.id } });
  const { data: key } = await api.expect('createApiKey', 201, {
    body: { name: 'second', permissions: ['read'] },
  });
  expect((await api.expect('listApiKeys', 200)).data.map((one) => one.id)).toContain(key.id);
  await api.expect('revokeApiKey', 200, { path: { key_id: key.id } });
  const { data: cleared } = await api.expect('clearMemory', 200, { path });
  expect(cleared.cleared).toBe(2);
  await api.expect('deleteAgent', 200, { path });
  expect((await api.call('getAgent', { path })).status).toBe(404);
}
