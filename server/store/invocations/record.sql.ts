/**
 * Records a batch of finished invocations of one account with everything that belongs to them.
 * Why SQL: one round trip locks, checks and writes nine tables for a batch; Prisma would take a dozen for each invocation.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { countUsage, loggedRows } from '../usage/count.sql.js';
import { memoryIdSql } from '../memory/scope.sql.js';
import { sessionKeySql } from '../sessions/lease.sql.js';

/** An invocation as the statement takes it. What is undefined is null in the database. */
export interface InvocationRow {
  /** Its place in the batch. */
  n: number;
  id: string;
  agentId: string;
  deploymentId: string | null;
  model: string;
  status: string;
  userId: string | null;
  sessionId: string | null;
  context: object | null;
  remember: boolean;
  tokensUsed: number | null;
  durationMs: number;
  errorCode: string | null;
  createdBy: string | null;
  createdAt: Date;
  finishedAt: Date;
  logs: readonly object[];
  memory: readonly object[];
  eventId: string;
  eventType: string;
  eventBody: string;
  traceContext: string | undefined;
  /** The session whose lease is released, if the owner still holds it. */
  sessionName: string | null;
  sessionOwner: string | null;
  /** The worker that must still hold an asynchronous invocation. */
  worker: string | null;
  /** The idempotency record, its owner, and its response, all bytes in hexadecimal. No status: the key is released. */
  key: string | undefined;
  keyOwner: string | null | undefined;
  keyStatus: number | undefined;
  keyResponse: string | undefined;
}

/** What an invocation still held. The first that is false says why nothing was written. */
export interface RecordVerdict {
  agent: boolean;
  worker: boolean;
  session: boolean;
  key: boolean;
}

// $1 the invocations, $2 their account, $3 and $4 the channels of deliveries and of sessions.
const input = `
  input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS i (
      n int, id text, "agentId" text, "deploymentId" text, model text, status invocation_status, "userId" text,
      "sessionId" text, context jsonb, remember boolean, "tokensUsed" int, "durationMs" int, "errorCode" text,
      "createdBy" text, "createdAt" timestamptz, "finishedAt" timestamptz, logs json, memory json,
      "eventId" text, "eventType" text, "eventBody" text, "traceContext" text, "sessionName" text, "sessionOwner" text,
      worker text, key bytea, "keyOwner" text, "keyStatus" int, "keyResponse" bytea)
  ),
  agent AS MATERIALIZED (
    SELECT id, ${memoryIdSql('agents')} AS memory_id, memory_epoch
      FROM agents WHERE account_id = $2 AND id = ANY (ARRAY(SELECT "agentId" FROM input)) FOR KEY SHARE
  ),
  running AS MATERIALIZED (
    SELECT i.*, agent.memory_id, agent.memory_epoch FROM input i JOIN agent ON agent.id = i."agentId"
  )`;

// What the invocations hold, checked in the order in which it is locked everywhere, to avoid deadlocks: after the agent the claim of a
// worker, the session, the key. Each is given up where it is checked: an invocation that fails a later check has no use for it any
// more. Rows are also looked for by a list of their keys, so that any plan finds them by their index: the tables fill within
// seconds, while the plan may be from when they were empty. `good` are the invocations that still held everything.
const checks = `
  claimed AS MATERIALIZED (
    SELECT i.n FROM running i
      JOIN invocations v ON v.agent_id = i."agentId" AND v.id = i.id AND v.lease_owner = i.worker AND v.status = 'running'
       FOR UPDATE OF v
  ),
  at_work AS MATERIALIZED (
    SELECT * FROM running WHERE worker IS NULL OR n IN (SELECT n FROM claimed)
  ),
  released AS (
    DELETE FROM session_leases l
     USING (SELECT * FROM at_work WHERE "sessionOwner" IS NOT NULL ORDER BY "agentId", "sessionName") i
     WHERE l.agent_id = i."agentId" AND l.session_id = i."sessionName" AND l.owner = i."sessionOwner"
       AND l.agent_id = ANY (ARRAY(SELECT "agentId" FROM at_work))
       AND l.session_id = ANY (ARRAY(SELECT "sessionName" FROM at_work))
    RETURNING i.n, ${sessionKeySql('l')} AS session, l.waited
  ),
  in_session AS MATERIALIZED (
    SELECT * FROM at_work WHERE "sessionOwner" IS NULL OR n IN (SELECT n FROM released)
  ),
  answered AS (
    UPDATE idempotency_records r
       SET state = 'completed', response_status = i."keyStatus", sealed_response = i."keyResponse"
      FROM (SELECT * FROM in_session WHERE "keyStatus" IS NOT NULL ORDER BY key) i
     WHERE r.id = i.key AND (r.owner = i."keyOwner" AND r.state = 'running' OR i."keyOwner" IS NULL AND r.state = 'completed')
       AND r.id = ANY (ARRAY(SELECT key FROM in_session))
    RETURNING i.n
  ),
  freed AS (
    DELETE FROM idempotency_records r
     USING (SELECT * FROM in_session WHERE key IS NOT NULL AND "keyStatus" IS NULL ORDER BY key) i
     WHERE r.id = i.key AND (r.owner = i."keyOwner" AND r.state = 'running' OR i."keyOwner" IS NULL)
       AND r.id = ANY (ARRAY(SELECT key FROM in_session))
    RETURNING i.n
  ),
  good AS MATERIALIZED (
    SELECT * FROM in_session WHERE "keyOwner" IS NULL OR n IN (SELECT n FROM answered UNION ALL SELECT n FROM freed)
  ),
  finished AS (
    UPDATE invocations v
       SET deployment_id = g."deploymentId", model = g.model, status = g.status, message = NULL,
           user_id = CASE WHEN g.remember THEN v.user_id END, session_id = CASE WHEN g.remember THEN v.session_id END,
           context = CASE WHEN g.remember THEN v.context END,
           tokens_used = g."tokensUsed", duration_ms = g."durationMs", error_code = g."errorCode", available_at = NULL,
           lease_owner = NULL, finished_at = g."finishedAt"
      FROM good g WHERE v.agent_id = g."agentId" AND v.id = g.id AND g.worker IS NOT NULL
  ),
  woken AS MATERIALIZED (SELECT pg_notify($4, session) FROM released WHERE waited)`;

const noChecks = `good AS (SELECT * FROM running)`;

// An event without a subscribed webhook would never be visible, so it is not stored.
const writes = `
  inserted AS (
    INSERT INTO invocations (id, agent_id, deployment_id, model, status, user_id, session_id, context, tokens_used,
                             duration_ms, error_code, created_by, idempotency_id, created_at, finished_at)
    SELECT id, "agentId", "deploymentId", model, status, "userId", "sessionId", context, "tokensUsed",
           "durationMs", "errorCode", "createdBy", key, "createdAt", "finishedAt"
      FROM good WHERE worker IS NULL
  ),
  logged AS (
    INSERT INTO log_entries (id, agent_id, logged_at, level, request_id, message, metadata)
    SELECT l.id, g."agentId", l.at, l.level, g.id, l.message, l.metadata
      FROM good g, json_to_recordset(g.logs) AS l (id text, at timestamptz, level log_level, message text, metadata jsonb)
    RETURNING agent_id, logged_at, level
  ),
  remembered AS (
    INSERT INTO memory_entries (id, agent_id, request_id, session_id, user_id, role, content, epoch)
    SELECT m.id, g.memory_id, g.id, g."sessionId", g."userId", m.role, m.content, g.memory_epoch
      FROM good g, json_to_recordset(g.memory) AS m (id text, role memory_role, content text)
  ),
  counted AS (${countUsage(`
    SELECT "agentId" AS agent_id, "createdAt" AS at, "durationMs" AS duration, "tokensUsed" AS tokens,
           status = 'failed' AS failed, NULL::log_level AS level FROM good
    UNION ALL
    ${loggedRows('logged')}`)}
  ),
  wanted AS MATERIALIZED (
    SELECT g.n, g."eventId", w.id AS webhook_id
      FROM webhooks w
      JOIN good g ON (w.agent_id IS NULL OR w.agent_id = g."agentId") AND g."eventType" = ANY (w.events)
     WHERE w.account_id = $2 AND w.status = 'enabled'
       FOR KEY SHARE OF w
  ),
  event AS (
    INSERT INTO events (id, account_id, agent_id, request_id, type, body, trace_context, created_at)
    SELECT "eventId", $2, "agentId", id, "eventType", convert_to("eventBody", 'UTF8'), "traceContext", "finishedAt"
      FROM good WHERE n IN (SELECT n FROM wanted)
  ),
  delivery AS (
    INSERT INTO deliveries (account_id, event_id, webhook_id) SELECT $2, "eventId", webhook_id FROM wanted RETURNING 1
  ),
  announced AS MATERIALIZED (SELECT pg_notify($3, '') FROM (SELECT FROM delivery LIMIT 1) AS due)`;

// Every part of a statement costs something, even without rows: invocations that hold nothing are written without the checks.
const recordHolders: Statement = {
  name: 'invocations_record_holders',
  text: `
    WITH ${[input, checks, writes].join(',')}
    SELECT i."agentId" IN (SELECT id FROM agent) AS agent,
           i.worker IS NULL OR i.n IN (SELECT n FROM claimed) AS worker,
           i.n IN (SELECT n FROM in_session) AS session,
           i.n IN (SELECT n FROM good) AS key,
           (SELECT count(*) FROM woken), (SELECT count(*) FROM announced)
      FROM input i
     ORDER BY n`,
};

const recordOthers: Statement = {
  name: 'invocations_record',
  text: `
    WITH ${[input, noChecks, writes].join(',')}
    SELECT i."agentId" IN (SELECT id FROM agent) AS agent, true AS worker, true AS session, true AS key,
           (SELECT count(*) FROM announced)
      FROM input i
     ORDER BY n`,
};

/** The verdicts are in the order of the rows. */
export function recordInvocations(
  database: Queryable,
  accountId: string,
  rows: readonly InvocationRow[],
  channels: { deliveries: string; sessions: string },
): Promise<RecordVerdict[]> {
  const values = [JSON.stringify(rows), accountId, channels.deliveries];
  const isHolder = ({ worker, sessionOwner, key }: InvocationRow) =>
    worker !== null || sessionOwner !== null || key !== undefined;
  return rows.some(isHolder)
    ? database.run<RecordVerdict & object>(recordHolders, [...values, channels.sessions])
    : database.run<RecordVerdict & object>(recordOthers, values);
}
