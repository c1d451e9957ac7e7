/**
 * Records a batch of finished invocations of one account with their logs, memory, usage and events.
 * Why SQL: one round trip writes the tables for a whole batch; Prisma would need a dozen for each invocation.
 *
 * The rows of each table are a separate parameter, and no part of the statement reads the result of another, which Citus would send
 * to every server. For the same reason it takes no row locks on agents and webhooks, which are on every server. Rows of an agent or
 * webhook that is deleted at the same time are purged with the rest (retention/purges.ts).
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { memoryIdSql } from '../memory/scope.sql.js';
import { usageColumns } from '../usage/count.sql.js';

/** Undefined values become null in the database. */
export interface RecordedRows {
  invocations: readonly {
    id: string;
    agentId: string;
    deploymentId: string | null;
    model: string;
    status: string;
    userId: string | null;
    sessionId: string | null;
    context: object | null;
    tokensUsed: number | null;
    durationMs: number;
    errorCode: string | null;
    createdBy: string | null;
    createdAt: Date;
    finishedAt: Date;
    /** The idempotency record, in hexadecimal. */
    key: string | undefined;
  }[];
  logs: readonly {
    id: string;
    agentId: string;
    requestId: string;
    at: Date;
    level: string;
    message: string;
    metadata: object;
  }[];
  memory: readonly {
    id: string;
    agentId: string;
    requestId: string;
    sessionId: string | null;
    userId: string | null;
    role: string;
    content: string;
    turn: object | undefined;
  }[];
  /** The counts are keyed by column name. */
  usage: readonly ({ id: string; agentId: string; minute: Date } & Record<
    string,
    string | number | Date
  >)[];
  events: readonly {
    id: string;
    agentId: string;
    requestId: string;
    type: string;
    body: string;
    traceContext: string | undefined;
    createdAt: Date;
  }[];
}

/** The outcome for one invocation. The rows are in the order of the events. */
export interface RecordedInvocation {
  /** False: the agent was deleted, and nothing was written. */
  hasAgent: boolean;
  /** Whether webhooks subscribe to its event. */
  hasDeliveries: boolean;
}

// $1 account. Skips rows of deleted agents.
const agentOf = (row: string) => `JOIN agents a ON a.account_id = $1 AND a.id = ${row}."agentId"`;

const isSubscribed = `
  w.account_id = $1 AND w.status = 'enabled' AND (w.agent_id IS NULL OR w.agent_id = e."agentId") AND e.type = ANY (w.events)`;

// Instances of 0.1.0 delete entries with an epoch of before a clearing; it goes with the next release. Log entries may have been written before, by a statement whose answer was lost. $7 are the events without their long bodies. An event without a subscribed webhook would never be read, so it is not stored.
const record: Statement = {
  name: 'invocations_record',
  text: `
    WITH invocation AS (
      INSERT INTO invocations (account_id, agent_id, id, deployment_id, model, status, user_id, session_id, context, tokens_used,
                               duration_ms, error_code, created_by, idempotency_id, created_at, finished_at)
      SELECT $1, i."agentId", i.id, "deploymentId", i.model, i.status, "userId", "sessionId", context, "tokensUsed",
             "durationMs", "errorCode", "createdBy", key, "createdAt", "finishedAt"
        FROM json_to_recordset($2::json) AS i (
               id text, "agentId" text, "deploymentId" text, model text, status invocation_status, "userId" text, "sessionId" text,
               context jsonb, "tokensUsed" int, "durationMs" int, "errorCode" text, "createdBy" text, key bytea,
               "createdAt" timestamptz, "finishedAt" timestamptz)
        ${agentOf('i')}
    ),
    log AS (
      INSERT INTO log_entries (account_id, agent_id, id, logged_at, level, request_id, message, metadata)
      SELECT $1, l."agentId", l.id, at, level, "requestId", message, metadata
        FROM json_to_recordset($3::json) AS l (
               id text, "agentId" text, "requestId" text, at timestamptz, level log_level, message text, metadata jsonb)
        ${agentOf('l')}
      ON CONFLICT DO NOTHING
    ),
    memory AS (
      INSERT INTO memory_entries (account_id, agent_id, id, request_id, session_id, user_id, role, content, turn, epoch)
      SELECT $1, ${memoryIdSql('a')}, m.id, "requestId", "sessionId", "userId", role, content, turn, a.memory_epoch
        FROM json_to_recordset($4::json) AS m (
               id text, "agentId" text, "requestId" text, "sessionId" text, "userId" text, role memory_role, content text,
               turn jsonb)
        ${agentOf('m')}
    ),
    usage AS (
      INSERT INTO usage_deltas (account_id, agent_id, bucket_start, id, ${usageColumns.join(', ')})
      SELECT $1, u."agentId", minute, u.id, ${usageColumns.join(', ')}
        FROM json_to_recordset($5::json) AS u (
               id text, "agentId" text, minute timestamptz, ${usageColumns.map((column) => `${column} bigint`).join(', ')})
        ${agentOf('u')}
    ),
    event AS (
      INSERT INTO events (account_id, id, agent_id, request_id, type, body, trace_context, created_at)
      SELECT $1, e.id, e."agentId", "requestId", type, convert_to(body, 'UTF8'), "traceContext", "createdAt"
        FROM json_to_recordset($6::json) AS e (
               id text, "agentId" text, "requestId" text, type text, body text, "traceContext" text, "createdAt" timestamptz)
        ${agentOf('e')}
       WHERE EXISTS (SELECT FROM webhooks w WHERE ${isSubscribed})
    ),
    delivery AS (
      INSERT INTO deliveries (account_id, event_id, webhook_id)
      SELECT $1, e.id, w.id
        FROM json_to_recordset($7::json) AS e (id text, "agentId" text, type text)
        ${agentOf('e')}
        JOIN webhooks w ON ${isSubscribed}
    )
    SELECT EXISTS (SELECT FROM agents a WHERE a.account_id = $1 AND a.id = e."agentId") AS "hasAgent",
           EXISTS (SELECT FROM webhooks w WHERE ${isSubscribed}) AS "hasDeliveries"
      FROM json_to_recordset($7::json) AS e (n int, "agentId" text, type text)
     ORDER BY n`,
};

export interface RecordedBatch {
  recorded: RecordedInvocation[];
  /** The size of the rows as JSON, whose names are about as long as what PostgreSQL adds to each row. */
  bytes: number;
}

export async function recordInvocations(
  database: Queryable,
  accountId: string,
  { invocations, logs, memory, usage, events }: RecordedRows,
): Promise<RecordedBatch> {
  const headers = events.map(({ id, agentId, type }, n) => ({ n, id, agentId, type }));
  const kept = [invocations, logs, memory, usage].map((table) => JSON.stringify(table));
  const bodies = JSON.stringify(events);
  const values = [accountId, ...kept, bodies, JSON.stringify(headers)];
  const recorded = await database.run<RecordedInvocation & object>(record, values);
  const hasDeliveries = recorded.some((invocation) => invocation.hasDeliveries);
  const stored = hasDeliveries ? [...kept, bodies] : kept;
  return { recorded, bytes: stored.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}
