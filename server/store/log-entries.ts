/**
 * Writes what happened to agents into their logs. An entry is counted in the statement that writes it, under the minute
 * of its own time, so that nobody ever has to count a whole log.
 */
import type { LogLevel } from '../../generated/api.js';
import type { Transaction } from './database.js';

export interface NewLogEntry {
  id: string;
  agentId: string;
  at: Date;
  level: LogLevel;
  /** The request that caused it. */
  requestId: string;
  /** For people. What is longer than the contract allows is cut off. */
  message: string;
  /** For programs, without the request's id. */
  metadata?: Record<string, unknown>;
}

/** Entries of an agent that is gone are dropped: nobody could read them. */
export async function insertLogEntries(
  transaction: Transaction,
  entries: readonly NewLogEntry[],
): Promise<void> {
  const rows = JSON.stringify(entries, (_key, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  await transaction.$executeRaw`
    WITH entries AS MATERIALIZED (
      SELECT entry.*
        FROM jsonb_to_recordset(${rows}::jsonb) AS entry
             (id text, "agentId" text, at timestamptz, level log_level, "requestId" text, message text, metadata jsonb)
        JOIN agents ON agents.id = entry."agentId"
         FOR KEY SHARE OF agents
    ), counted AS (
      INSERT INTO usage_deltas (agent_id, bucket_start, logs_debug, logs_info, logs_warn, logs_error)
      SELECT "agentId", date_bin('1 minute', at, 'epoch'),
             count(*) FILTER (WHERE level = 'debug'), count(*) FILTER (WHERE level = 'info'),
             count(*) FILTER (WHERE level = 'warn'), count(*) FILTER (WHERE level = 'error')
        FROM entries
       GROUP BY 1, 2
    )
    INSERT INTO log_entries (id, agent_id, logged_at, level, request_id, message, metadata)
    SELECT id, "agentId", at, level, "requestId", left(message, 10000), coalesce(metadata, '{}')
      FROM entries`;
}

/** PostgreSQL stores neither NUL nor half of a character, and a log entry may quote whatever somebody sent. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
