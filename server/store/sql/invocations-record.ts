/**
 * Records a batch of finished invocations with everything that belongs to them.
 * Why SQL: one statement locks, checks and writes nine tables for a batch; Prisma would take a dozen round trips.
 */
import type { Statement } from '../connection.js';
import { countUsage, loggedRows, memoryIdSql } from './fragments.js';
import { sessionKeySql } from './sessions-lease.js';

/** What any invocation of the batch has. The statement leaves out what none of them does. */
export interface HeldParts {
  /** Idempotency keys. */
  keys: boolean;
  /** Session leases. */
  sessions: boolean;
  /** Leases of asynchronous invocations. */
  work: boolean;
  /** Events, of invocations that webhooks are known to wait for. */
  events: boolean;
}

// $1 the invocations, $2 their log entries and $3 their memory, each as JSON; then, if there are any, the channel of deliveries for
// events, that of sessions, and the answers for keys one after the other, of which an invocation knows where its own begins.

/** Times are sent in milliseconds since the epoch, which costs less than their text to write and to read. */
const time = (milliseconds: string) => `to_timestamp(${milliseconds} / 1000)`;

// Checks everything before it writes. The agent is locked first, in the same order as deleting an agent, to avoid a deadlock. Leases
// and keys are given up where they are checked, by the last steps of the checks: what fails later has no use for them any more.
// `good` contains the invocations that held all of them; only those are written.
const input = `
  input AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS i (
      n int, id text, "agentId" text, "accountId" text, "deploymentId" text, model text, status invocation_status, "userId" text,
      "sessionId" text, context jsonb, remember boolean, "tokensUsed" int, "durationMs" int, "errorCode" text, "createdBy" text,
      "createdAt" float8, "finishedAt" float8, "eventId" text, "eventType" text, "eventBody" text, "traceContext" text,
      "sessionName" text, "sessionOwner" text, worker text, key bytea, "keyOwner" text, "keyStatus" int, "answerAt" int, "answerBytes" int)
  ),
  agent AS MATERIALIZED (
    SELECT id, ${memoryIdSql('agents')} AS memory_id, memory_epoch
      FROM agents WHERE id = ANY (ARRAY(SELECT "agentId" FROM input)) FOR KEY SHARE
  )`;

const heldWork = `
  held_work AS MATERIALIZED (
    SELECT i.n FROM input i
      JOIN agent ON agent.id = i."agentId"
      JOIN invocations v ON v.agent_id = i."agentId" AND v.id = i.id AND v.lease_owner = i.worker AND v.status = 'running'
       FOR UPDATE OF v
  )`;

// A subscription that came after the invocation was sent without its event: it is sent again, with the event.
const subscription = `
  w.account_id = i."accountId" AND w.status = 'enabled' AND (w.agent_id IS NULL OR w.agent_id = i."agentId")
  AND i."eventType" = ANY (w.events)`;

const candidates = ({ work }: HeldParts) => `
  eventless AS MATERIALIZED (
    SELECT i.n FROM input i WHERE i."eventId" IS NULL AND EXISTS (SELECT FROM webhooks w WHERE ${subscription})
  ),
  candidate AS MATERIALIZED (
    SELECT i.*,
           i."agentId" IN (SELECT id FROM agent) AS has_agent,
           ${work ? 'i.worker IS NULL OR i.n IN (SELECT n FROM held_work)' : 'true'} AS has_work,
           i.n NOT IN (SELECT n FROM eventless) AS has_event
      FROM input i
  ),
  ready AS MATERIALIZED (SELECT * FROM candidate WHERE has_agent AND has_work AND has_event)`;

// Leases and keys are also looked for by a list of those of the batch, so that any plan finds them by their index: their tables
// fill within seconds, while the plan may be from when they were empty.

// In the order in which leases are taken, to avoid a deadlock.
const releasedSession = `
  released AS (
    DELETE FROM session_leases l
     USING (SELECT * FROM ready WHERE "sessionOwner" IS NOT NULL ORDER BY "agentId", "sessionName") i
     WHERE l.agent_id = i."agentId" AND l.session_id = i."sessionName" AND l.owner = i."sessionOwner"
       AND l.agent_id = ANY (ARRAY(SELECT "agentId" FROM ready)) AND l.session_id = ANY (ARRAY(SELECT "sessionName" FROM ready))
    RETURNING i.n, ${sessionKeySql('l')} AS session, l.waited
  )`;

const settledKey = (answers: string) => `
  completed AS (
    UPDATE idempotency_records r
       SET state = 'completed', response_status = i."keyStatus",
           sealed_response = substring(${answers}::bytea FROM i."answerAt" FOR i."answerBytes")
      FROM (SELECT * FROM holder WHERE "keyStatus" IS NOT NULL ORDER BY key) i
     WHERE r.id = i.key AND (r.owner = i."keyOwner" AND r.state = 'running' OR i."keyOwner" IS NULL AND r.state = 'completed')
       AND r.id = ANY (ARRAY(SELECT key FROM holder))
    RETURNING i.n
  ),
  freed AS (
    DELETE FROM idempotency_records r
     USING (SELECT * FROM holder WHERE "keyStatus" IS NULL ORDER BY key) i
     WHERE r.id = i.key AND (r.owner = i."keyOwner" AND r.state = 'running' OR i."keyOwner" IS NULL)
       AND r.id = ANY (ARRAY(SELECT key FROM holder))
    RETURNING i.n
  ),
  settled AS (SELECT n FROM completed UNION ALL SELECT n FROM freed)`;

const has = {
  session: `"sessionOwner" IS NULL OR n IN (SELECT n FROM released)`,
  key: `"keyOwner" IS NULL OR n IN (SELECT n FROM settled)`,
};

const holder = ({ sessions }: HeldParts) =>
  `holder AS MATERIALIZED (SELECT * FROM ready ${sessions ? `WHERE ${has.session}` : ''})`;
const good = ({ keys }: HeldParts) =>
  `good AS MATERIALIZED (SELECT * FROM holder ${keys ? `WHERE ${has.key}` : ''})`;

const inserted = `
  inserted AS (
    INSERT INTO invocations (id, agent_id, deployment_id, model, status, user_id, session_id, context, tokens_used,
                             duration_ms, error_code, created_by, idempotency_id, created_at, finished_at)
    SELECT id, "agentId", "deploymentId", model, status, "userId", "sessionId", context, "tokensUsed",
           "durationMs", "errorCode", "createdBy", key, ${time('"createdAt"')}, ${time('"finishedAt"')}
      FROM good WHERE worker IS NULL
  )`;

const finished = `
  finished AS (
    UPDATE invocations v
       SET deployment_id = g."deploymentId", model = g.model, status = g.status, message = NULL,
           user_id = CASE WHEN g.remember THEN v.user_id END, session_id = CASE WHEN g.remember THEN v.session_id END,
           context = CASE WHEN g.remember THEN v.context END,
           tokens_used = g."tokensUsed", duration_ms = g."durationMs", error_code = g."errorCode", available_at = NULL, lease_owner = NULL,
           finished_at = ${time('g."finishedAt"')}
      FROM good g WHERE v.agent_id = g."agentId" AND v.id = g.id AND g.worker IS NOT NULL
  )`;

const traces = `
  logged AS (
    INSERT INTO log_entries (id, agent_id, logged_at, level, request_id, message, metadata)
    SELECT l.id, g."agentId", ${time('l.at')}, l.level, g.id, l.message, l.metadata
      FROM good g
      JOIN json_to_recordset($2::json) AS l
           (n int, id text, at float8, level log_level, message text, metadata jsonb) USING (n)
    RETURNING agent_id, logged_at, level
  ),
  remembered AS (
    INSERT INTO memory_entries (id, agent_id, request_id, session_id, user_id, role, content, epoch)
    SELECT m.id, agent.memory_id, g.id, g."sessionId", g."userId", m.role, m.content, agent.memory_epoch
      FROM good g
      JOIN agent ON agent.id = g."agentId"
      JOIN json_to_recordset($3::json) AS m (n int, id text, role memory_role, content text) USING (n)
  ),
  counted AS (${countUsage(`
    SELECT "agentId" AS agent_id, ${time('"createdAt"')} AS at, "durationMs" AS duration, "tokensUsed" AS tokens,
           status = 'failed' AS failed, NULL::log_level AS level FROM good
    UNION ALL
    ${loggedRows('logged')}`)}
  )`;

// An event without a subscribed webhook would never be visible, so it is not stored.
const event = `
  wanted AS MATERIALIZED (
    SELECT i.n, i."accountId" AS account_id, i."eventId" AS event_id, w.id AS webhook_id
      FROM good i
      JOIN webhooks w ON ${subscription}
     WHERE i."eventId" IS NOT NULL
       FOR KEY SHARE OF w
  ),
  event AS (
    INSERT INTO events (id, account_id, agent_id, request_id, type, body, trace_context, created_at)
    SELECT "eventId", "accountId", "agentId", id, "eventType", convert_to("eventBody", 'UTF8'), "traceContext",
           ${time('"finishedAt"')}
      FROM good WHERE n IN (SELECT n FROM wanted)
  ),
  delivery AS (
    INSERT INTO deliveries (account_id, event_id, webhook_id)
    SELECT account_id, event_id, webhook_id FROM wanted RETURNING 1
  )`;

const deliveries = `(SELECT count(*)::int FROM wanted w WHERE w.n = c.n) AS deliveries`;
const notifications = {
  deliveries: (channel: string) => `(SELECT pg_notify(${channel}, '')::text FROM delivery LIMIT 1)`,
  sessions: (channel: string) =>
    `(SELECT count(pg_notify(${channel}, session)) FROM released WHERE waited)`,
};

function compose(held: HeldParts): Statement {
  const { keys, sessions, work, events } = held;
  const when = (condition: boolean, ...parts: string[]) => (condition ? parts : []);
  const channel = { deliveries: '$4', sessions: events ? '$5' : '$4' };
  const answers = `$${4 + Number(events) + Number(sessions)}`;
  const steps = [
    input,
    ...when(work, heldWork),
    candidates(held),
    ...when(sessions, releasedSession),
    holder(held),
    ...when(keys, settledKey(answers)),
    good(held),
    inserted,
    ...when(work, finished),
    traces,
    ...when(events, event),
  ];
  const columns = [
    'has_agent AS agent',
    'has_work AS worker',
    'has_event AS event',
    `${sessions ? has.session : 'true'} AS session`,
    `${keys ? has.key : 'true'} AS key`,
    ...when(events, deliveries, notifications.deliveries(channel.deliveries)),
    ...when(sessions, notifications.sessions(channel.sessions)),
  ];
  return {
    name: `invocations_record_${[keys, sessions, work, events].map(Number).join('')}`,
    text: `
      WITH ${steps.join(',')}
      SELECT ${columns.join(', ')}
        FROM candidate c
       ORDER BY n`,
  };
}

const statements = new Map<string, Statement>();

export function recordStatement(held: HeldParts): Statement {
  const name = Object.values(held).join();
  const statement = statements.get(name) ?? compose(held);
  statements.set(name, statement);
  return statement;
}
