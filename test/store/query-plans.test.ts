/** On a few thousand rows, the queries that must stay cheap as tables grow are answered from their indexes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { insertAccount, insertAgent, insertWebhook } from '../helpers/rows.js';

let fixture: TestDatabase;
let accountId: string;
let agentId: string;
let webhookId: string;

beforeAll(async () => {
  fixture = await createTestDatabase();
  const { database } = fixture;
  accountId = await insertAccount(database);
  agentId = await insertAgent(database, accountId);
  webhookId = await insertWebhook(database, accountId);
  await database.pool.query(FILL, [agentId, accountId, webhookId, 0]);
  for (const firstNumber of [3_000, 6_000]) {
    const neighbour = await insertAccount(database);
    const agent = await insertAgent(database, neighbour);
    const webhook = await insertWebhook(database, neighbour);
    await database.pool.query(FILL, [agent, neighbour, webhook, firstNumber]);
  }
  await database.pool.query('ANALYZE');
});
afterAll(() => fixture.close());

const FILL = `
  WITH n AS (SELECT generate_series($4::int + 1, $4::int + 3000) AS n),
  keyed AS (SELECT n, lpad(n::text, 26, '0') AS suffix, now() - n * interval '1 minute' AS at FROM n),
  agents AS (
    INSERT INTO agents (id, account_id, name, model, created_at, updated_at)
    SELECT 'agent_' || suffix, $2, 'bot-' || n % 3000, 'builtin/echo', at, at FROM keyed),
  logs AS (
    INSERT INTO log_entries (id, agent_id, logged_at, level, request_id, message)
    SELECT 'log_' || suffix, $1, at, (CASE WHEN n % 100 = 0 THEN 'error' ELSE 'info' END)::log_level,
           'req_' || suffix, 'answered'
      FROM keyed),
  memory AS (
    INSERT INTO memory_entries (id, agent_id, request_id, session_id, role, content, created_at)
    SELECT 'mem_' || suffix, $1, 'req_' || suffix, 'session-' || n % 100, 'user', 'order number ' || n, at FROM keyed),
  invocations AS (
    INSERT INTO invocations (id, agent_id, status, message, available_at, created_at)
    SELECT 'req_' || suffix, $1, (CASE WHEN n % 500 = 0 THEN 'queued' ELSE 'succeeded' END)::invocation_status, 'm', at, at
      FROM keyed),
  rollups AS (
    INSERT INTO usage_rollups (agent_id, bucket_seconds, bucket_start, invocations)
    SELECT $1, 60, date_trunc('minute', at), 1 FROM keyed),
  keys AS (
    INSERT INTO api_keys (id, account_id, name, permissions, key_hash, preview, created_at)
    SELECT 'key_' || suffix, $2, 'key-' || n, '{read}', sha256(n::text::bytea), '', at FROM keyed),
  deployments AS (
    INSERT INTO deployments (id, agent_id, environment, version, status, model, temperature, instructions, timeout_ms, history_limit, created_at)
    SELECT 'dep_' || suffix, $1, 'production', 'v' || n, 'superseded', 'm', 1, '', 1, 1, at FROM keyed),
  hooks AS (
    INSERT INTO webhooks (id, account_id, url, events, sealed_secret, created_at)
    SELECT 'wh_' || suffix, $2, 'https://example.com', '{}', '', at FROM keyed),
  events AS (
    INSERT INTO events (id, account_id, agent_id, request_id, type, body)
    SELECT 'evt_' || suffix, $2, $1, 'req_' || suffix, 't', '' FROM keyed),
  idempotency AS (
    INSERT INTO idempotency_records (id, request_hash, owner, lease_until, expires_at)
    SELECT sha256(n::text::bytea), '', 'o', at, at + interval '10 days' FROM keyed)
  INSERT INTO deliveries (event_id, webhook_id, status, next_attempt_at, last_attempt_at)
  SELECT 'evt_' || suffix, CASE WHEN n % 50 = 0 THEN $3 ELSE 'wh_' || suffix END,
         (CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'succeeded' END)::delivery_status, at, at
    FROM keyed`;

type Facts = () => unknown[];
const byAgent: Facts = () => [agentId];
const byAccount: Facts = () => [accountId];
const page = (order: string) => `ORDER BY ${order} LIMIT 10`;

test.each<[string, string, string, Facts]>([
  [
    'agents by creation',
    'agents_account_id_created_at_id_idx',
    `SELECT * FROM agents WHERE account_id = $1 ${page('created_at DESC, id DESC')}`,
    byAccount,
  ],
  [
    'agents by change',
    'agents_account_id_updated_at_id_idx',
    `SELECT * FROM agents WHERE account_id = $1 ${page('updated_at, id')}`,
    byAccount,
  ],
  [
    'agents by name',
    'agents_account_id_name_key',
    `SELECT * FROM agents WHERE account_id = $1 ${page('name DESC')}`,
    byAccount,
  ],
  [
    'one agent by name',
    'agents_account_id_name_key',
    `SELECT * FROM agents WHERE account_id = $1 AND name = 'bot-7'`,
    byAccount,
  ],
  [
    'keys by creation',
    'api_keys_account_id_created_at_id_idx',
    `SELECT * FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL ${page('created_at DESC, id DESC')}`,
    byAccount,
  ],
  [
    'keys by name',
    'api_keys_account_id_name_id_idx',
    `SELECT * FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL ${page('name, id')}`,
    byAccount,
  ],
  [
    'one key by its hash',
    'api_keys_key_hash_key',
    `SELECT * FROM api_keys WHERE key_hash = sha256('7')`,
    () => [],
  ],
  [
    'deployments by creation',
    'deployments_agent_id_created_at_id_idx',
    `SELECT * FROM deployments WHERE agent_id = $1 ${page('created_at DESC, id DESC')}`,
    byAgent,
  ],
  [
    'deployments by version',
    'deployments_agent_id_version_id_idx',
    `SELECT * FROM deployments WHERE agent_id = $1 ${page('version, id')}`,
    byAgent,
  ],
  [
    'the active deployment',
    'deployments_active_key',
    `SELECT * FROM deployments WHERE agent_id = $1 AND environment = 'production' AND status = 'active'`,
    byAgent,
  ],
  [
    'webhooks by creation',
    'webhooks_account_id_created_at_id_idx',
    `SELECT * FROM webhooks WHERE account_id = $1 ${page('created_at DESC, id DESC')}`,
    byAccount,
  ],
  [
    'the newest log entries',
    'log_entries_pkey',
    `SELECT * FROM log_entries WHERE agent_id = $1 ${page('logged_at DESC, id DESC')}`,
    byAgent,
  ],
  [
    'the newest errors',
    'log_entries_agent_id_level_logged_at_id_idx',
    `SELECT * FROM log_entries WHERE agent_id = $1 AND level = 'error' ${page('logged_at DESC, id DESC')}`,
    byAgent,
  ],
  [
    'log entries of an hour',
    'log_entries_pkey',
    `SELECT * FROM log_entries WHERE agent_id = $1 AND logged_at >= now() - interval '2 hours' AND logged_at < now() - interval '1 hour' ORDER BY logged_at DESC, id DESC`,
    byAgent,
  ],
  [
    'log entries of a request',
    'log_entries_request_id_idx',
    `SELECT * FROM log_entries WHERE agent_id = $1 AND request_id = 'req_00000000000000000000000007'`,
    byAgent,
  ],
  [
    'log entries to prune',
    'log_entries_pkey',
    `SELECT * FROM log_entries WHERE agent_id = $1 AND logged_at < now() - interval '49 hours' ORDER BY logged_at, id LIMIT 10`,
    byAgent,
  ],
  [
    'counts per minute',
    'usage_rollups_pkey',
    `SELECT * FROM usage_rollups WHERE agent_id = $1 AND bucket_seconds = 60 AND bucket_start >= now() - interval '1 hour' AND bucket_start < now()`,
    byAgent,
  ],
  [
    'the turns of a session',
    'memory_entries_session_idx',
    `SELECT * FROM memory_entries WHERE agent_id = $1 AND session_id = 'session-7' ORDER BY created_at DESC, id DESC LIMIT 20`,
    byAgent,
  ],
  [
    'memory to prune',
    'memory_entries_pkey',
    `SELECT id FROM memory_entries WHERE id < 'mem_00000000000000000000000009' ORDER BY id LIMIT 100`,
    () => [],
  ],
  [
    'invocations to claim',
    'invocations_claim_idx',
    `SELECT id FROM invocations WHERE status IN ('queued', 'running') AND available_at <= now() ORDER BY available_at LIMIT 10 FOR UPDATE SKIP LOCKED`,
    () => [],
  ],
  [
    'deliveries to claim',
    'deliveries_due_idx',
    `SELECT * FROM deliveries WHERE status = 'pending' AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 10 FOR UPDATE SKIP LOCKED`,
    () => [],
  ],
  [
    'deliveries of a webhook to claim',
    'deliveries_webhook_due_idx',
    `SELECT * FROM deliveries WHERE webhook_id = $1 AND status = 'pending' AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 3`,
    () => [webhookId],
  ],
  [
    'the last delivery of a webhook',
    'deliveries_webhook_id_last_attempt_at_idx',
    `SELECT * FROM deliveries WHERE webhook_id = $1 AND last_attempt_at IS NOT NULL ORDER BY last_attempt_at DESC LIMIT 1`,
    () => [webhookId],
  ],
  [
    'idempotency records to prune',
    'idempotency_records_expires_at_idx',
    `SELECT id FROM idempotency_records WHERE expires_at < now() ORDER BY expires_at LIMIT 100`,
    () => [],
  ],
])('%s are read from %s, without sorting', async (_, index, query, facts) => {
  const plan = await explain(query, facts());
  const nodes = flatten(plan);
  expect(nodes.map((node) => node['Index Name'])).toContain(index);
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
});

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

async function explain(query: string, values: unknown[]): Promise<PlanNode> {
  const { rows } = await fixture.database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) ${query}`,
    values,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('PostgreSQL gave no plan.');
  return plan;
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
