/**
 * The schema can be distributed over several servers by account, as docs/scaling.md describes: rows of what grows name the agent or
 * the account in every unique key, and so does every statement that a request waits for.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { useAgent, useService, useTenant } from '../helpers/service.js';
import { recordStatements, type SentStatement } from '../helpers/statements.js';
import { tablesOf } from '../helpers/database-state.js';

const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);
const agent = useAgent(tenant);

/** Few rows, rarely written: a copy of them on every server. Their keys need not name anybody. */
const referenceTables = [
  '_prisma_migrations',
  'accounts',
  'agents',
  'api_keys',
  'deployments',
  'mfa_enrolments',
  'settings',
  'webhooks',
];

/** Distributed by the key itself, which nothing else shares. */
const keyedBySelf = {
  idempotency_records: 'a hash of caller, path and Idempotency-Key',
  rate_buckets: 'the name of a bucket, which contains the key or address',
  stream_events: 'the id of the request, by which the stream is found',
  usage_deltas:
    'appended and taken in order on each server by itself; its number identifies nothing',
};

const owner = '(agent_id|account_id|owner_id)';

test('every unique key of what grows names the agent or the account', async () => {
  const { rows } = await service.database.pool.query<{ table: string; columns: string[] }>(`
    SELECT relname AS table,
           ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)) AS columns
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE indisunique AND relnamespace = 'public'::regnamespace AND NOT relispartition`);
  const without = rows.filter(
    ({ columns }) => !columns.some((one) => RegExp(`^${owner}$`).test(one)),
  );
  const excepted = [...referenceTables, ...Object.keys(keyedBySelf)];
  expect(without.filter(({ table }) => !excepted.includes(table))).toEqual([]);
});

test('every table is in one of the lists, or has such keys', async () => {
  const tables = await tablesOf(service.database);
  expect(tables).toEqual(expect.arrayContaining([...referenceTables, ...Object.keys(keyedBySelf)]));
});

test('foreign keys lead to copies only, or to rows of the same agent or account', async () => {
  const { rows } = await service.database.pool.query<{ to: string }>(
    `SELECT DISTINCT confrelid::regclass::text AS to FROM pg_constraint WHERE contype = 'f'`,
  );
  expect(rows.map(({ to }) => to).filter((to) => !referenceTables.includes(to))).toEqual([]);
});

let sent: SentStatement[];
let distributed: string[];

beforeAll(async () => {
  const excepted = [...referenceTables, ...Object.keys(keyedBySelf), 'purges'];
  distributed = (await tablesOf(service.database)).filter((table) => !excepted.includes(table));
  const path = { agent_id: agent.id };
  const context = { session_id: 'chat', user_id: 'ada' };
  const message = { message: 'Where is my parcel?', context };
  sent = await recordStatements(async () => {
    const { api } = tenant;
    for (const headers of [{}, { 'idempotency-key': 'one' }]) {
      await api.expect('invokeAgent', 200, { path, body: message, headers });
    }
    await api.expect('invokeAgent', 200, { path, body: { message: 'Hi' } });
    await api.expect('invokeAgent', 202, {
      path,
      body: message,
      headers: { prefer: 'respond-async' },
    });
    await api.expect('getAgent', 200, { path });
    await api.expect('listAgents', 200);
    await api.expect('getLogs', 200, { path });
    await api.expect('getLogs', 200, { path, query: { level: 'error' } });
    await api.expect('getLogs', 200, {
      path,
      query: { request_id: 'req_00000000000000000000000007' },
    });
    await api.expect('getMetrics', 200, { path, query: { metric: 'throughput' } });
    await api.expect('searchMemory', 200, { path, body: { query: 'parcel' } });
    await api.expect('searchMemory', 200, {
      path,
      body: { query: 'parcl', filter: { user_id: 'ada' } },
    });
  });
});

test('every statement of a request on what grows names the agent or the account', () => {
  const texts = sent.map(({ text }) =>
    text.replaceAll(/"public"\.|"/g, '').replaceAll(/\s+/g, ' '),
  );
  const onDistributed = texts.filter((text) =>
    RegExp(`\\b(${distributed.join('|')})\\b`).test(text),
  );
  // Invoking, logs, metrics and searches: not that nothing was recorded.
  expect(new Set(onDistributed).size).toBeGreaterThan(8);
  const names = RegExp(`\\b${owner} (=|IN|>)|INSERT INTO \\w+ (AS \\w+ )?\\([^)]*\\b${owner}\\b`);
  expect(onDistributed.filter((text) => !names.test(text) && !ofBackground(text))).toEqual([]);
});

/** What housekeeping does meanwhile, on each server by itself: partitions, and the search for what was cleared or has ended. */
const ofBackground = (text: string) =>
  /^(ALTER|CREATE|DROP|LOCK) TABLE|FROM memory_clearances WHERE 1=1|AS purges, EXISTS|FROM budget_windows WHERE budget_windows.ends_at </.test(
    text,
  );
