/**
 * Deletes old log entries, invocations and events row by row, and subtracts them from the counts in the same statement.
 * Why SQL: finds rows per agent or account (LATERAL), which leads their keys, and takes row locks on agents first.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { countUsage, loggedRows } from '../usage/count.sql.js';

// $1 before which they are old, $2 how many to delete at most. `isOld` is a condition on rows of the table.
const ofAgents = (table: string, key: string, isOld: string) => `
  agent AS MATERIALIZED (
    SELECT id FROM agents
     WHERE EXISTS (SELECT FROM ${table} WHERE agent_id = agents.id AND ${isOld})
     LIMIT 100 FOR KEY SHARE SKIP LOCKED
  ), old AS MATERIALIZED (
    SELECT entry.* FROM agent CROSS JOIN LATERAL (
      SELECT agent_id, ${key}, id AS id FROM ${table}
       WHERE agent_id = agent.id AND ${isOld}
       ORDER BY ${key} LIMIT $2) AS entry
     LIMIT $2
  )`;

const deleteLogs: Statement = {
  name: 'logs_delete_old',
  text: `
    WITH ${ofAgents('log_entries', 'logged_at', 'logged_at < $1::timestamptz')}, deleted AS (
      DELETE FROM log_entries AS entry USING old
       WHERE entry.agent_id = old.agent_id AND entry.logged_at = old.logged_at AND entry.id = old.id
      RETURNING entry.agent_id, entry.logged_at, entry.level
    ), counted AS (
      ${countUsage(loggedRows('deleted'), '-')}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

const deleteInvocations: Statement = {
  name: 'invocations_delete_old',
  text: `
    WITH ${ofAgents('invocations', 'created_at', `id < $1 AND status IN ('succeeded', 'failed')`)}, deleted AS (
      DELETE FROM invocations AS entry USING old
       WHERE entry.agent_id = old.agent_id AND entry.id = old.id
      RETURNING entry.agent_id, entry.created_at, entry.duration_ms, entry.tokens_used, entry.status
    ), counted AS (
      ${countUsage(
        `SELECT agent_id, created_at AS at, duration_ms AS duration, tokens_used AS tokens, status = 'failed' AS failed,
                NULL::log_level AS level FROM deleted`,
        '-',
      )}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

// Their deliveries go with them, by a trigger.
const deleteEvents: Statement = {
  name: 'events_delete_old',
  text: `
    WITH old AS MATERIALIZED (
      SELECT entry.* FROM accounts CROSS JOIN LATERAL (
        SELECT account_id, id FROM events
         WHERE account_id = accounts.id AND id < $1
           AND NOT EXISTS (SELECT FROM deliveries d
                            WHERE d.account_id = events.account_id AND d.event_id = events.id AND d.status = 'pending')
         ORDER BY id LIMIT $2) AS entry
       LIMIT $2
    ), deleted AS (
      DELETE FROM events AS entry USING old WHERE entry.account_id = old.account_id AND entry.id = old.id RETURNING 1
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Each deletes up to `batch` rows, of up to a hundred agents, and returns the number deleted. */
export const deleteOldLogEntries = (database: Queryable, before: Date, batch: number) =>
  numberOf(database, deleteLogs, [before, batch]);

/** Only finished ones with ids below `before`. */
export const deleteOldInvocations = (database: Queryable, before: string, batch: number) =>
  numberOf(database, deleteInvocations, [before, batch]);

/** Those with ids below `before` that are delivered. */
export const deleteOldEvents = (database: Queryable, before: string, batch: number) =>
  numberOf(database, deleteEvents, [before, batch]);

// The partial indexes of the queues serve literal states only. Asked while the tables are locked, so it must be quick.
const waiting = {
  invocations: {
    name: 'invocations_waiting_old',
    text: `SELECT EXISTS (SELECT FROM invocations WHERE id < $1 AND status IN ('queued', 'running')) AS found`,
  },
  deliveries: {
    name: 'deliveries_pending_old',
    text: `SELECT EXISTS (SELECT FROM deliveries WHERE event_id < $1 AND status = 'pending') AS found`,
  },
};

/** Whether an invocation with an id below `before` waits or runs, or a delivery of such an event is still to be made. */
export async function isWaiting(
  database: Queryable,
  table: keyof typeof waiting,
  before: string,
): Promise<boolean> {
  const [row] = await database.run<{ found: boolean }>(waiting[table], [before]);
  return row?.found === true;
}

async function numberOf(
  database: Queryable,
  statement: Statement,
  values: unknown[],
): Promise<number> {
  const [deleted] = await database.run<{ count: number }>(statement, values);
  return deleted?.count ?? 0;
}
