/**
 * Records a batch of finished invocations of one account with their logs, memory, usage and events.
 * Why SQL: one round trip writes the tables for a whole batch; Prisma would need a dozen for each invocation.
 *
 * The rows of each table are a separate parameter, and no part of the statement reads the result of another, which Citus would send
 * to every server. For the same reason it takes no row locks on agents and webhooks, which are on every server. Rows of an agent or
 * webhook that is deleted at the same time are purged with the rest (retention/purges.ts).
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { columnsOf, jsonRows, type RowOf, rowsFrom, valuesOf } from '../postgres/rows.sql.js';
import { memoryIdSql } from '../memory/scope.sql.js';
import { countNames } from '../metrics/usage.js';
import { outcomeColumns, requestColumns } from './invocation.js';

const invocationColumns = { ...requestColumns, ...outcomeColumns, idempotencyId: 'bytea' } as const;

const logColumns = {
  id: 'text',
  agentId: 'text',
  requestId: 'text',
  environment: 'text',
  loggedAt: 'timestamptz',
  level: 'log_level',
  message: 'text',
  metadata: 'jsonb',
} as const;

/** Without the agent's id, for which the id of its memory is stored. */
const memoryColumns = {
  id: 'text',
  requestId: 'text',
  sessionId: 'text',
  userId: 'text',
  environment: 'text',
  role: 'memory_role',
  content: 'text',
  turn: 'jsonb',
} as const;

const memoryRow = { ...memoryColumns, agentId: 'text' } as const;

const counts = Object.fromEntries(countNames.map((name) => [name, 'bigint']));
const usageColumns = {
  id: 'text',
  agentId: 'text',
  bucketStart: 'timestamptz',
  ...counts,
} as const;

/** Without the body, which is stored as bytes. */
const eventColumns = {
  id: 'text',
  agentId: 'text',
  requestId: 'text',
  type: 'text',
  traceContext: 'text',
  createdAt: 'timestamptz',
} as const;

const eventRow = { ...eventColumns, body: 'text' } as const;

/** An event without its body, which may be long. */
const headerRow = { n: 'int', id: 'text', agentId: 'text', type: 'text' } as const;

export interface RecordedRows {
  invocations: readonly RowOf<typeof invocationColumns>[];
  logs: readonly RowOf<typeof logColumns>[];
  memory: readonly RowOf<typeof memoryRow>[];
  usage: readonly RowOf<typeof usageColumns>[];
  events: readonly RowOf<typeof eventRow>[];
}

/** The outcome for one invocation. The rows are in the order of the events. */
export interface RecordingResult {
  /** False: the agent was deleted, and nothing was written. */
  hasAgent: boolean;
  /** Whether webhooks subscribe to its event. */
  hasDeliveries: boolean;
}

// $1 account. Skips rows of deleted agents.
const agentOf = (row: string) => `JOIN agents a ON a.account_id = $1 AND a.id = ${row}."agentId"`;

const isSubscribed = `
  w.account_id = $1 AND w.status = 'enabled' AND (w.agent_id IS NULL OR w.agent_id = e."agentId") AND e.type = ANY (w.events)`;

// Instances of 0.1.0 delete entries with an epoch of before a clearing; it goes with the next release. Log entries may have been written
// before, by a statement whose answer was lost. An event without a subscribed webhook would never be read, so it is not stored.
const record: Statement = {
  name: 'invocations_record',
  text: `
    WITH invocation AS (
      INSERT INTO invocations (account_id, ${columnsOf(invocationColumns)})
      SELECT $1, ${valuesOf('i', invocationColumns)}
        FROM ${rowsFrom('$2', 'i', invocationColumns)}
        ${agentOf('i')}
    ),
    log AS (
      INSERT INTO log_entries (account_id, ${columnsOf(logColumns)})
      SELECT $1, ${valuesOf('l', logColumns)}
        FROM ${rowsFrom('$3', 'l', logColumns)}
        ${agentOf('l')}
      ON CONFLICT DO NOTHING
    ),
    memory AS (
      INSERT INTO memory_entries (account_id, agent_id, epoch, ${columnsOf(memoryColumns)})
      SELECT $1, ${memoryIdSql('a')}, a.memory_epoch, ${valuesOf('m', memoryColumns)}
        FROM ${rowsFrom('$4', 'm', memoryRow)}
        ${agentOf('m')}
    ),
    usage AS (
      INSERT INTO usage_deltas (account_id, ${columnsOf(usageColumns)})
      SELECT $1, ${valuesOf('u', usageColumns)}
        FROM ${rowsFrom('$5', 'u', usageColumns)}
        ${agentOf('u')}
    ),
    event AS (
      INSERT INTO events (account_id, ${columnsOf(eventColumns)}, body)
      SELECT $1, ${valuesOf('e', eventColumns)}, convert_to(e.body, 'UTF8')
        FROM ${rowsFrom('$6', 'e', eventRow)}
        ${agentOf('e')}
       WHERE EXISTS (SELECT FROM webhooks w WHERE ${isSubscribed})
    ),
    delivery AS (
      INSERT INTO deliveries (account_id, event_id, webhook_id)
      SELECT $1, e.id, w.id
        FROM ${rowsFrom('$7', 'e', headerRow)}
        ${agentOf('e')}
        JOIN webhooks w ON ${isSubscribed}
    )
    SELECT EXISTS (SELECT FROM agents a WHERE a.account_id = $1 AND a.id = e."agentId") AS "hasAgent",
           EXISTS (SELECT FROM webhooks w WHERE ${isSubscribed}) AS "hasDeliveries"
      FROM ${rowsFrom('$7', 'e', headerRow)}
     ORDER BY n`,
};

export interface RecordedBatch {
  recorded: RecordingResult[];
  /** The size of the rows as JSON, whose names are about as long as what PostgreSQL adds to each row. */
  bytes: number;
}

export async function recordInvocations(
  database: Queryable,
  accountId: string,
  { invocations, logs, memory, usage, events }: RecordedRows,
): Promise<RecordedBatch> {
  const kept = [
    jsonRows(invocationColumns, invocations),
    jsonRows(logColumns, logs),
    jsonRows(memoryRow, memory),
    jsonRows(usageColumns, usage),
  ];
  const bodies = jsonRows(eventRow, events);
  const headers = events.map((event, n) => ({ n, ...event }));
  const values = [accountId, ...kept, bodies, jsonRows(headerRow, headers)];
  const recorded = await database.run<RecordingResult & object>(record, values);
  const hasDeliveries = recorded.some((result) => result.hasDeliveries);
  const stored = hasDeliveries ? [...kept, bodies] : kept;
  return { recorded, bytes: stored.reduce((sum, text) => sum + Buffer.byteLength(text), 0) };
}
