/**
 * Deletes old log entries, invocations and events of an account, and subtracts them from the usage counts.
 * Why SQL: one statement deletes and counts.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { subtractUsage } from '../../metrics/count.sql.js';

/**
 * Deletes old rows of agents that exist. $1 account, $2 the time or id before which rows are old, $3 limit. Row addresses (ctid) find the
 * rows again: without statistics, PostgreSQL may read all rows of the agent for each key. An address is unique only within its partition.
 */
const deleteOld = (table: string, isOld: string) => `
  DELETE FROM ${table} WHERE account_id = $1 AND (tableoid, ctid) IN (
    SELECT tableoid, ctid FROM ${table}
     WHERE account_id = $1 AND agent_id = ANY (ARRAY(SELECT id FROM agents WHERE account_id = $1)) AND ${isOld} LIMIT $3)`;

const deleteLogs: Statement = {
  name: 'logs_delete_old',
  text: `
    WITH deleted AS (
      ${deleteOld('log_entries', 'logged_at < $2::timestamptz')} RETURNING id, agent_id, logged_at, level
    ), counted AS (
      ${subtractUsage(
        '$1',
        `SELECT id, agent_id, logged_at AS at, NULL::int AS duration, NULL::int AS tokens, false AS failed, level FROM deleted`,
      )}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

const deleteInvocations: Statement = {
  name: 'invocations_delete_old',
  text: `
    WITH deleted AS (
      ${deleteOld('invocations', `id < $2 AND status IN ('succeeded', 'failed')`)}
      RETURNING id, agent_id, created_at, duration_ms, tokens_used, status
    ), counted AS (
      ${subtractUsage(
        '$1',
        `SELECT id, agent_id, created_at AS at, duration_ms AS duration, tokens_used AS tokens, status = 'failed' AS failed,
                NULL::log_level AS level FROM deleted`,
      )}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

const deleteEvents: Statement = {
  name: 'events_delete_old',
  text: `
    WITH old AS MATERIALIZED (
      SELECT id FROM events e
       WHERE account_id = $1 AND id < $2
         AND NOT EXISTS (SELECT FROM deliveries d WHERE d.account_id = $1 AND d.event_id = e.id AND d.status = 'pending')
       ORDER BY id LIMIT $3
    ), delivered AS (
      DELETE FROM deliveries AS entry USING old WHERE entry.account_id = $1 AND entry.event_id = old.id
    ), deleted AS (
      DELETE FROM events AS entry USING old WHERE entry.account_id = $1 AND entry.id = old.id RETURNING 1
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Like the functions below, deletes up to `batch` rows of an account and returns the number deleted. */
export const deleteOldLogEntries = (
  database: Queryable,
  accountId: string,
  before: Date,
  batch: number,
) => deleteAndCount(database, deleteLogs, [accountId, before, batch]);

/** Deletes only finished invocations with ids below `before`. */
export const deleteOldInvocations = (
  database: Queryable,
  accountId: string,
  before: string,
  batch: number,
) => deleteAndCount(database, deleteInvocations, [accountId, before, batch]);

/** Deletes events with ids below `before` that have no pending deliveries, with their deliveries. */
export const deleteOldEvents = (
  database: Queryable,
  accountId: string,
  before: string,
  batch: number,
) => deleteAndCount(database, deleteEvents, [accountId, before, batch]);

// The states are literals, because the queues' partial indexes require it: the queries run while the tables are locked.
const unfinished = {
  invocations: {
    name: 'invocations_waiting_old',
    text: `SELECT count(*) > 0 AS found FROM (SELECT 1 FROM invocations WHERE id < $1 AND status IN ('queued', 'running') LIMIT 1) AS old`,
  },
  deliveries: {
    name: 'deliveries_pending_old',
    text: `SELECT count(*) > 0 AS found FROM (SELECT 1 FROM deliveries WHERE event_id < $1 AND status = 'pending' LIMIT 1) AS old`,
  },
};

/** Whether an invocation with an id below `before` waits or runs, or an event with such an id has a pending delivery. */
export async function hasUnfinished(
  database: Queryable,
  table: keyof typeof unfinished,
  before: string,
): Promise<boolean> {
  const [row] = await database.run<{ found: boolean }>(unfinished[table], [before]);
  return row?.found === true;
}

async function deleteAndCount(
  database: Queryable,
  statement: Statement,
  values: unknown[],
): Promise<number> {
  const [deleted] = await database.run<{ count: number }>(statement, values);
  return deleted?.count ?? 0;
}
