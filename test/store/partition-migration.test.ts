/** A database with a history of the version before becomes one of partitions: everything is still there, or nothing changed. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../server/lib/typeid.js';
import { migrate } from '../../server/store/postgres/migrations/migrate.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
} from '../../server/store/postgres/migrations/migrations.js';
import { type BareDatabase, createBareDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';

const partitioning = '20261116040000_partitioned_history';
const tables = {
  invocations: '*',
  log_entries: '*',
  usage_rollups: '*',
  memory_entries: 'id, agent_id, content, search',
  memory_embeddings: 'entry_id, model, embedding, signature',
  events: '*',
  deliveries: 'event_id, webhook_id, status, attempts',
};

let bare: BareDatabase;
let pool: pg.Pool;
let earlier: string;

beforeEach(async () => {
  bare = await createBareDatabase();
  pool = new pg.Pool({ connectionString: bare.url });
  pool.on('error', () => undefined);
  earlier = await mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  const names = (await migrationNames(MIGRATIONS_DIRECTORY)).filter((name) => name < partitioning);
  for (const name of names) {
    await cp(path.join(MIGRATIONS_DIRECTORY, name), path.join(earlier, name), { recursive: true });
  }
  await migrate({ url: bare.url, directory: earlier });
  await fill();
});
afterEach(async () => {
  await pool.end();
  await bare.drop();
  await rm(earlier, { recursive: true, force: true });
});

/** As the version before has written it. Ids of now, and others that are years old. */
async function fill(): Promise<void> {
  const recent = (prefix: 'req' | 'mem' | 'evt') => newId(prefix).slice(0, -10);
  await pool.query(`
    INSERT INTO accounts (id, name) VALUES ('acct_1', 'one');
    INSERT INTO agents (id, account_id, name, model) VALUES ('agent_1', 'acct_1', 'bot', 'builtin/echo');
    INSERT INTO webhooks (id, account_id, url, events, sealed_secret) VALUES ('wh_1', 'acct_1', 'https://example.com', '{}', '');
    CREATE TABLE made AS
    SELECT n, CASE WHEN n % 2 = 0 THEN lpad(n::text, 26, '0') END AS old, lpad(n::text, 10, '0') AS short,
           now() - n * interval '1 day' AS at FROM generate_series(1, 400) AS n;
    INSERT INTO invocations (id, agent_id, account_id, status, message, available_at, created_at)
    SELECT coalesce('req_' || old, '${recent('req')}' || short), 'agent_1', 'acct_1',
           (CASE WHEN n = 7 THEN 'queued' ELSE 'succeeded' END)::invocation_status, 'hello', at, at FROM made;
    INSERT INTO log_entries (id, agent_id, logged_at, level, message)
    SELECT 'log_' || n, 'agent_1', at, 'info', 'answered' FROM made;
    INSERT INTO usage_rollups (agent_id, bucket_seconds, bucket_start, logs_info)
    SELECT 'agent_1', 60, date_trunc('minute', at), 1 FROM made;
    INSERT INTO memory_entries (id, agent_id, request_id, role, content, user_id, session_id)
    SELECT coalesce('mem_' || old, '${recent('mem')}' || short), 'agent_1', 'req', 'user', 'parcel ' || n, 'ada', 's' FROM made;
    INSERT INTO memory_embeddings (entry_id, model, embedding, signature)
    SELECT id, 'm', '{1}', B'1' FROM memory_entries;
    INSERT INTO events (id, account_id, agent_id, request_id, type, body)
    SELECT coalesce('evt_' || old, '${recent('evt')}' || short), 'acct_1', 'agent_1', 'req', 't', '' FROM made;
    INSERT INTO deliveries (event_id, webhook_id) SELECT id, 'wh_1' FROM events;
    DROP TABLE made`);
}

/** Without the column and the rollups that later migrations add. */
async function contents(): Promise<Record<string, string[]>> {
  const read = Object.entries(tables).map(async ([table, columns]) => {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT (to_jsonb(r) - 'trace_context')::text AS row FROM (SELECT ${columns} FROM ${table}) AS r
        WHERE to_jsonb(r) ->> 'bucket_seconds' IS DISTINCT FROM '300' ORDER BY 1`,
    );
    return [table, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

const partitions = async () =>
  (await pool.query<{ name: string }>(`SELECT inhrelid::regclass::text AS name FROM pg_inherits`))
    .rows;

test('keeps every row, and the rows know their agents and accounts', async () => {
  const before = await contents();
  await migrate({ url: bare.url });
  expect(await contents()).toEqual(before);
  const { rows } = await pool.query<{ account: string; agent: string }>(
    `SELECT (SELECT string_agg(DISTINCT account_id, '') FROM deliveries) AS account,
            (SELECT string_agg(DISTINCT agent_id, '') FROM memory_embeddings) AS agent`,
  );
  expect(rows).toEqual([{ account: 'acct_1', agent: 'agent_1' }]);
});

test('finds a place for rows of an instance whose clock was ahead', async () => {
  await pool.query(
    `UPDATE log_entries SET logged_at = now() + interval '50 days' WHERE id = 'log_3'`,
  );
  const before = await contents();
  await migrate({ url: bare.url });
  expect(await contents()).toEqual(before);
});

test('deliveries go with their event', async () => {
  await migrate({ url: bare.url });
  await pool.query(`DELETE FROM events WHERE id LIKE '%0005'`);
  expect((await contents())['deliveries']).toHaveLength(399);
});

test('interrupted in the middle it has changed nothing, and is repeated by those who start together', async () => {
  const before = await contents();
  const blocker = new pg.Client({ connectionString: bare.url });
  await blocker.connect();
  // The last table that it needs for itself, so that everything else is done.
  await blocker.query('BEGIN; LOCK TABLE accounts IN ACCESS SHARE MODE');
  const interrupted = migrate({ url: bare.url });
  const failing = expect(interrupted).rejects.toThrow();
  await eventually(async () => {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND relation = 'accounts'::regclass AND datname = current_database()`,
    );
    expect(rows).toHaveLength(1);
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  });
  await failing;
  await blocker.end();
  expect(await contents()).toEqual(before);
  expect(await partitions()).toEqual([]);
  const applied = await Promise.all([migrate({ url: bare.url }), migrate({ url: bare.url })]);
  expect(applied.map((names) => names.includes(partitioning)).sort()).toEqual([false, true]);
  expect(await contents()).toEqual(before);
});
