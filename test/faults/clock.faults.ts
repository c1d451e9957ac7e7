/** An instance whose clock is an hour off: what it stores has the database's time, and it says so. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/project.js';
import { timeOfId } from '../../server/lib/data/typeid.js';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { answer, type Receiver, startReceiver } from '../helpers/servers/receiver.js';
import { apiClient } from '../helpers/service/api.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { environmentFor, useAgent, useService, useTenant } from '../helpers/service/service.js';

// This service creates the account; the instances under test do the work.
const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const tenant = useTenant(observer, { isOnlyAccount: true });
const agent = useAgent(tenant);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let running: ServiceProcess | undefined;
let receiver: Receiver;

afterEach(async () => {
  await running?.end('SIGTERM');
  running = undefined;
  await receiver.close();
});

const shiftedBy = (ms: number) => ({
  ...environmentFor(observer),
  ALLOW_PRIVATE_TARGETS: 'true',
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(root, 'test/faults/clock-shift.mjs')).href}`,
  CLOCK_SHIFT_MS: String(ms),
});

/** The times in all tables, by column, and those of ids; without those that are meant to be at other times. */
async function storedTimes(): Promise<{ where: string; at: number }[]> {
  const { pool } = observer.database;
  const { rows: columns } = await pool.query<{ table: string; column: string; type: string }>(`
    SELECT c.table_name AS table, c.column_name AS column, c.data_type AS type
      FROM information_schema.columns c JOIN pg_class ON oid = c.table_name::regclass
     WHERE c.table_schema = 'public' AND NOT relispartition AND relkind IN ('r', 'p')
       AND (c.data_type = 'timestamp with time zone' AND c.column_name <> ALL ('{expires_at,drop_at,ends_at,bucket_start}')
            OR c.column_name = 'id' AND c.data_type = 'text')
       AND c.table_name <> '_prisma_migrations'`);
  const times = columns.map(async ({ table, column, type }) => {
    const { rows } = await pool.query<{ value: Date | string }>(
      `SELECT "${column}" AS value FROM "${table}" WHERE "${column}" IS NOT NULL`,
    );
    return rows.flatMap(({ value }) => {
      const isTypeId = typeof value === 'string' && /^[a-z]+_[0-7][0-9a-z]{25}$/.test(value);
      if (type === 'text' && !isTypeId) return [];
      const at = typeof value === 'string' ? timeOfId(value) : value;
      return [{ where: `${table}.${column}`, at: at.getTime() }];
    });
  });
  return (await Promise.all(times)).flat();
}

async function databaseTime(): Promise<number> {
  const { rows } = await observer.database.pool.query<{ now: Date }>('SELECT now()');
  return rows[0]?.now.getTime() ?? NaN;
}

test.each([
  ['ahead of', hourMs],
  ['behind', -hourMs],
])('a clock an hour %s the database', async (direction, shift) => {
  receiver = await startReceiver(answer(500));
  const start = await databaseTime();
  running = await startServiceProcess({ environment: shiftedBy(shift) });
  const warning = `This machine's clock is 3600 s ${direction} the database's.`;
  await running.printed(new RegExp(warning));
  const api = apiClient(running.url, tenant.key);
  const agentPath = { path: { agent_id: agent.id } };
  const message = { message: 'Hello', context: { session_id: crypto.randomUUID() } };

  await api.expect('createWebhook', 201, {
    body: { url: receiver.url, events: ['agent.completed'] },
  });
  await api.expect('updateAgent', 200, { ...agentPath, body: { temperature: 0.5 } });
  await api.expect('createDeployment', 201, {
    ...agentPath,
    body: { environment: 'production', version: `1.0.${shift + hourMs}` },
  });
  await api.expect('invokeAgent', 200, {
    ...agentPath,
    body: message,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  await api.expect('invokeAgent', 202, {
    ...agentPath,
    body: message,
    headers: { Prefer: 'respond-async' },
  });
  // Half an hour from now is not over on a clock that is an hour ahead, and half an hour ago is over on one that is behind.
  const soon = new Date(start + 30 * minuteMs).toISOString();
  const key = { name: 'temporary', permissions: ['read'] };
  const { data } = await api.expect('createApiKey', 201, { body: { ...key, expires_at: soon } });
  await apiClient(running.url, data.key).expect('listAgents', 200);
  const past = new Date(start - 30 * minuteMs).toISOString();
  await api.expect('createApiKey', 400, { body: { ...key, expires_at: past } });
  const operator = operatorProcess(() => shiftedBy(shift));
  expect(await operator.run(['accounts', 'create', `late-${shift}`])).toMatchObject({ code: 0 });

  await receiver.got(2);
  await eventually(async () => {
    const { data: logs } = await api.expect('getLogs', 200, {
      ...agentPath,
      // Entries of the future would not be in it.
      query: { end_time: new Date((await databaseTime()) + minuteMs).toISOString(), limit: 100 },
    });
    const said = logs.map((entry) => entry.message).join('\n');
    expect(said).toMatch(/starts to fail/);
    expect(said).toMatch(/was deployed/);
  });
  const end = await databaseTime();
  const times = await storedTimes();
  const late = times.filter(({ at }) => at > end + 10 * minuteMs);
  const early = times.filter(({ at }) => at < start - 10 * minuteMs);
  expect([...new Set([...late, ...early].map(({ where }) => where))].sort()).toEqual([]);
  expect(new Set(times.map(({ where }) => where)).size).toBeGreaterThan(25);
  expect(running.stdout().split(warning)).toHaveLength(2);
});
