/**
 * The schema can be distributed by account, as docs/scaling.md describes: `account_id` comes first in every unique key of
 * growing tables, every statement of a request names an account, and there are no triggers or functions.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
  readMigration,
} from '../../server/postgres/migrations/migrations.js';
import { distributedTables, referenceTables } from '../../server/postgres/distribute.sql.js';
import { tablesOf } from '../helpers/database/database-state.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { recordStatements, type SentStatement } from '../helpers/database/statements.js';

const service = useService({ WORKER: 'off' }, { sharesRateLimits: true });
const tenant = useTenant(service);
const agent = useAgent(tenant);

/** Tables that stay on the coordinator. */
const localTables = ['_prisma_migrations', 'instances'];

test('every table is a reference table, distributed, or local to the coordinator', async () => {
  const tables = await tablesOf(service.database);
  expect(tables.sort()).toEqual([...referenceTables, ...distributedTables, ...localTables].sort());
});

test('every unique key of a growing table begins with the account', async () => {
  const { rows } = await service.database.pool.query<{ table: string; first: string }>(`
    SELECT relname AS table, attname AS first
      FROM pg_index
      JOIN pg_class ON pg_class.oid = indrelid
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
     WHERE indisunique AND relnamespace = 'public'::regnamespace AND NOT relispartition`);
  const unique = rows.filter(({ table }) => distributedTables.includes(table));
  expect(new Set(unique.map(({ table }) => table)).size).toBe(distributedTables.length);
  expect(unique.filter(({ first }) => first !== 'account_id')).toEqual([]);
});

test('the account has the same type and collation everywhere, so that its rows are on one server', async () => {
  const { rows } = await service.database.pool.query<{ kind: string }>(`
    SELECT DISTINCT data_type || ' ' || collation_name AS kind FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'account_id'`);
  expect(rows).toEqual([{ kind: 'text C' }]);
});

test('foreign keys exist between reference tables only', async () => {
  const { rows } = await service.database.pool.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint WHERE contype = 'f'`,
  );
  expect(rows.length).toBeGreaterThan(0);
  const ends = rows.flatMap(({ from, to }) => [from, to]);
  expect(ends.filter((table) => !referenceTables.includes(table))).toEqual([]);
});

describe('the database has no triggers and no functions', () => {
  test('in its schema', async () => {
    const { rows } = await service.database.pool.query(`
      SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL
      SELECT proname FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')`);
    expect(rows).toEqual([]);
  });

  test('in its migrations', async () => {
    const creates = /\bCREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+)?(TRIGGER|FUNCTION|PROCEDURE)\b/i;
    expect('create or replace function "f"()').toMatch(creates);
    for (const name of await migrationNames(MIGRATIONS_DIRECTORY)) {
      expect([name, await readMigration(MIGRATIONS_DIRECTORY, name)]).toEqual([
        name,
        expect.not.stringMatching(creates),
      ]);
    }
  });
});

describe('the statements of requests', () => {
  let sent: SentStatement[];

  beforeAll(async () => {
    const path = { agent_id: agent.id };
    const context = { session_id: 'chat', user_id: 'ada' };
    const message = { message: 'Where is my parcel?', context };
    sent = await recordStatements(async () => {
      const { api } = tenant;
      const webhook = { url: 'https://example.com/hook', events: ['agent.completed' as const] };
      const created = await api.expect('createWebhook', 201, { body: webhook });
      for (const headers of [{}, { 'idempotency-key': 'one' }, { 'idempotency-key': 'one' }]) {
        await api.expect('invokeAgent', 200, { path, body: message, headers });
      }
      await api.expect('invokeAgent', 200, { path, body: { message: 'Hi' } });
      const headers = { prefer: 'respond-async' };
      await api.expect('invokeAgent', 202, { path, body: message, headers });
      await api.expect('getAgent', 200, { path });
      await api.expect('listAgents', 200);
      await api.expect('updateAgent', 200, { path, body: { temperature: 0.5 } });
      const deployment = { version: '1', environment: 'production' };
      await api.expect('createDeployment', 201, { path, body: deployment });
      await api.expect('listDeployments', 200, { path });
      await api.expect('getLogs', 200, { path });
      await api.expect('getLogs', 200, { path, query: { level: 'error' } });
      const request = { request_id: 'req_00000000000000000000000007' };
      await api.expect('getLogs', 200, { path, query: request });
      await api.expect('getMetrics', 200, { path, query: { metric: 'throughput' } });
      const ofUser = { query: 'parcel', filter: { user_id: 'ada' } };
      await api.expect('searchMemory', 200, { path, body: { query: 'parcel' } });
      await api.expect('searchMemory', 200, { path, body: ofUser });
      await api.expect('clearMemory', 200, { path });
      await api.expect('listWebhooks', 200);
      await api.expect('deleteWebhook', 200, { path: { webhook_id: created.data.id } });
      await api.expect('listApiKeys', 200);
      await api.expect('deleteAgent', 200, { path });
    });
  });

  test('name an account for every growing table', () => {
    const texts = sent.map(({ text }) =>
      text.replaceAll(/"public"\.|"/g, '').replaceAll(/\s+/g, ' '),
    );
    const tables = RegExp(
      `\\b(FROM|JOIN|INTO|UPDATE|USING) (${distributedTables.join('|')})\\b`,
      'g',
    );
    const usesOf = (text: string) => text.match(tables)?.length ?? 0;
    const accountsIn = (text: string) =>
      text.match(/\baccount_id (=|IN)|\(account_id\b|\baccount_id,/g)?.length ?? 0;
    const ofRequests = texts.filter((text) => usesOf(text) > 0 && !ofBackground(text));
    // Makes sure that statements were recorded.
    expect(new Set(ofRequests).size).toBeGreaterThan(20);
    expect(ofRequests.filter((text) => accountsIn(text) < usesOf(text))).toEqual([]);
  });
});

/** Concurrent housekeeping for all accounts: partitions and expired rows. */
const ofBackground = (text: string) =>
  [
    /^ ?(ALTER|CREATE|DROP|LOCK) TABLE/,
    /FROM usage_deltas GROUP BY account_id/,
    /(DELETE|SELECT).* FROM (budget_windows|idempotency_records|stream_events|rate_buckets|run_steps|paused_runs) WHERE .*(ends_at|expires_at|drop_at|stream_id|full_at|created_at) </,
    /FROM webhooks WHERE id IN \(SELECT webhook_id FROM deliveries/,
    /SELECT account_id AS accountId FROM invocations WHERE status/,
    /FROM schedules s JOIN accounts a/,
    /SELECT max\(/,
  ].some((statement) => statement.test(text));
