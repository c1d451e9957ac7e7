/** Fills an account and one of its agents with a thousand rows of everything. */
import { newId } from '../../server/lib/data/typeid.js';
import type { OpenDatabase } from '../helpers/database/database.js';
import { insertWebhook } from '../helpers/database/rows.js';

const rows = 1_000;

/** Ids begin with the current time, so that their rows are in the current partition, and end with this many digits. */
const digits = 10;

/** `number` distinguishes the accounts of a database. */
export async function fillAccount(
  database: OpenDatabase,
  { accountId, agentId }: { accountId: string; agentId: string },
  number: number,
): Promise<void> {
  const webhookId = await insertWebhook(database, accountId);
  await database.pool.query(FILL, [
    agentId,
    accountId,
    webhookId,
    number * rows,
    rows,
    newId('req').slice('req_'.length, -digits),
  ]);
}

const FILL = `
  WITH n AS (SELECT generate_series($4::int + 1, $4::int + $5::int) AS n),
  keyed AS (SELECT n, $6 || lpad(n::text, ${digits}, '0') AS suffix, now() - n * interval '1 minute' AS at FROM n),
  agents AS (
    INSERT INTO agents (id, account_id, name, model, created_at, updated_at)
    SELECT 'agent_' || suffix, $2, 'bot-' || n % $5::int, 'builtin/echo', at, at FROM keyed),
  logs AS (
    INSERT INTO log_entries (account_id, id, agent_id, logged_at, level, request_id, message, environment)
    SELECT $2, 'log_' || suffix, $1, at, (CASE WHEN n % 100 = 0 THEN 'error' ELSE 'info' END)::log_level,
           'req_' || suffix, 'answered', CASE WHEN n % 20 = 0 THEN 'staging' END
      FROM keyed),
  memory AS (
    INSERT INTO memory_entries (account_id, id, agent_id, request_id, session_id, role, content, created_at, environment)
    SELECT $2, 'mem_' || suffix, $1, 'req_' || suffix, 'session-' || n % 100, 'user', 'order number ' || n, at,
           CASE WHEN n % 20 = 7 THEN 'draft' END
      FROM keyed),
  invocations AS (
    INSERT INTO invocations (account_id, id, agent_id, status, message, available_at, created_at, environment)
    SELECT $2, 'req_' || suffix, $1, (CASE WHEN n % 500 = 0 THEN 'queued' ELSE 'succeeded' END)::invocation_status, 'm', at, at,
           CASE WHEN n % 20 = 7 THEN 'staging' END
      FROM keyed),
  rollups AS (
    INSERT INTO usage_rollups (account_id, agent_id, bucket_seconds, bucket_start, invocations)
    SELECT $2, $1, 60, date_trunc('minute', at), 1 FROM keyed
    -- The service folds what happened in this very minute at the same time.
    ON CONFLICT DO NOTHING),
  schedules AS (
    INSERT INTO schedules (account_id, agent_id, name, cron, timezone, message, next_at)
    SELECT $2, 'agent_' || suffix, 'daily', '0 0 * * *', 'UTC', 'm', at + interval '10 days' FROM keyed),
  keys AS (
    INSERT INTO api_keys (id, account_id, name, permissions, key_hash, preview, created_at)
    SELECT 'key_' || suffix, $2, 'key-' || n, '{read}', sha256(n::text::bytea), '', at FROM keyed),
  deployments AS (
    INSERT INTO deployments (id, agent_id, environment, version, status, model, temperature, instructions, timeout_ms, history_limit, created_at)
    SELECT 'dep_' || suffix, $1, 'production', 'v' || n, 'superseded', 'm', 1, '', 1, 1, at FROM keyed),
  hooks AS (
    INSERT INTO webhooks (id, account_id, url, host, events, sealed_secret, created_at)
    SELECT 'wh_' || suffix, $2, 'https://example.com', 'example.com', '{}', '', at FROM keyed),
  events AS (
    INSERT INTO events (id, account_id, agent_id, request_id, type, body)
    SELECT 'evt_' || suffix, $2, $1, 'req_' || suffix, 't', '' FROM keyed),
  idempotency AS (
    INSERT INTO idempotency_records (account_id, id, request_hash, owner, lease_until, expires_at)
    SELECT $2, sha256(n::text::bytea), '', 'o', at, at + interval '10 days' FROM keyed),
  streams AS (
    INSERT INTO stream_events (account_id, idempotency_id, stream_id, position, agent_id, event, sealed_data, drop_at)
    SELECT $2, sha256((n / 10)::text::bytea), 'req_' || n / 10, n % 10, $1, 'delta', '',
           CASE WHEN n % 100 < 10 THEN at + interval '10 days' END
      FROM keyed)
  INSERT INTO deliveries (account_id, event_id, webhook_id, status, next_attempt_at, last_attempt_at)
  SELECT $2, 'evt_' || suffix, CASE WHEN n % 50 = 0 THEN $3 ELSE 'wh_' || suffix END,
         (CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'succeeded' END)::delivery_status, at, at
    FROM keyed`;
