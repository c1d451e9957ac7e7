/**
 * Releases the leases of finished invocations of one account: workers' claims, leases of sessions, and Idempotency-Keys.
 * Why SQL: each statement changes the rows of a batch that still have their owner; Prisma would need a statement for each row.
 *
 * Run these in one transaction, in this order, in which all code locks these rows. The ANY conditions make every plan use the index of the
 * key: the tables fill within seconds, while the plan may be from when they were empty.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Held } from '../postgres/lease.sql.js';
import { assigned, jsonRows, type RowOf, rowsFrom } from '../postgres/rows.sql.js';
import { type SettledKey, settledColumns } from '../idempotency/sealed-response.js';
import { sessionColumns, sessionKeySql } from './sessions/lease.sql.js';
import { type InvocationKey, outcomeColumns } from './invocation.js';

/** The outcome of an asynchronous invocation, whose row its worker must still hold. */
const claimedRow = {
  ...outcomeColumns,
  id: 'text',
  agentId: 'text',
  worker: 'text',
  // False: the row does not keep the user, the session or the context.
  remember: 'boolean',
} as const;

export type ClaimedRow = RowOf<typeof claimedRow>;

export type SessionRow = RowOf<typeof sessionColumns>;

// $1 account, $2 rows.
const finish: Statement = {
  name: 'invocations_finish',
  text: `
    WITH ended AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'e', claimedRow)}
    )
    UPDATE invocations v
       SET ${assigned('e', outcomeColumns)}, message = NULL,
           user_id = CASE WHEN e.remember THEN v.user_id END, session_id = CASE WHEN e.remember THEN v.session_id END,
           context = CASE WHEN e.remember THEN v.context END, available_at = NULL, lease_owner = NULL
      FROM ended e
     WHERE v.account_id = $1 AND v.agent_id = e."agentId" AND v.id = e.id AND v.lease_owner = e.worker AND v.status = 'running'
       AND v.agent_id = ANY (ARRAY(SELECT "agentId" FROM ended)) AND v.id = ANY (ARRAY(SELECT id FROM ended))
    RETURNING v.id`,
};

/** Writes the outcomes of claimed invocations. Returns the number of those that their worker still held. */
export async function finishClaimed(
  database: Queryable,
  accountId: string,
  rows: readonly ClaimedRow[],
): Promise<number> {
  return (await database.run(finish, [accountId, jsonRows(claimedRow, rows)])).length;
}

const release: Statement = {
  name: 'invocations_release_sessions',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'h', sessionColumns)} ORDER BY "agentId", name
    )
    DELETE FROM session_leases l USING held h
     WHERE l.account_id = $1 AND l.agent_id = h."agentId" AND l.session_id = h.name AND l.owner = h.owner
       AND l.agent_id = ANY (ARRAY(SELECT "agentId" FROM held)) AND l.session_id = ANY (ARRAY(SELECT name FROM held))
    RETURNING CASE WHEN l.waited THEN ${sessionKeySql('l')} END AS awaited`,
};

/** Returns a row for each session that its owner still held, with its key if another invocation waits for it. */
export function releaseSessions(
  database: Queryable,
  accountId: string,
  rows: readonly SessionRow[],
): Promise<{ awaited: string | null }[]> {
  return database.run(release, [accountId, jsonRows(sessionColumns, rows)]);
}

const heldKeys = `
  held AS MATERIALIZED (
    SELECT * FROM ${rowsFrom('$2', 'h', settledColumns)} ORDER BY id
  )`;

const answer: Statement = {
  name: 'invocations_answer_keys',
  text: `
    WITH ${heldKeys}
    UPDATE idempotency_records r SET state = 'completed', response_status = h."responseStatus", sealed_response = h."sealedResponse"
      FROM held h
     WHERE r.account_id = $1 AND r.id = h.id AND r.id = ANY (ARRAY(SELECT id FROM held))
       AND (r.owner = h.owner AND r.state = 'running' OR h.owner IS NULL AND r.state = 'completed')
    RETURNING h.owner`,
};

const free: Statement = {
  name: 'invocations_free_keys',
  text: `
    WITH ${heldKeys}
    DELETE FROM idempotency_records r USING held h
     WHERE r.account_id = $1 AND r.id = h.id AND r.id = ANY (ARRAY(SELECT id FROM held))
       AND (r.owner = h.owner AND r.state = 'running' OR h.owner IS NULL)
    RETURNING h.owner`,
};

/** Stores the responses of keys, or releases keys without a response. Returns the number of those that their owner still held. */
export async function settleKeys(
  database: Queryable,
  accountId: string,
  keys: readonly SettledKey[],
): Promise<number> {
  const settle = async (statement: Statement, some: readonly SettledKey[]) =>
    some.length === 0
      ? []
      : database.run<{ owner: string | null }>(statement, [
          accountId,
          jsonRows(settledColumns, some),
        ]);
  const settled = [
    ...(await settle(
      answer,
      keys.filter(({ responseStatus }) => responseStatus !== null),
    )),
    ...(await settle(
      free,
      keys.filter(({ responseStatus }) => responseStatus === null),
    )),
  ];
  return settled.filter(({ owner }) => owner !== null).length;
}

// The first response stays, because a rotation of the secret may have sealed it anew since.
const keep: Statement = {
  name: 'invocations_keep_keys',
  text: `
    WITH ${heldKeys}
    UPDATE idempotency_records r
       SET response_status = coalesce(r.response_status, h."responseStatus"),
           sealed_response = coalesce(r.sealed_response, h."sealedResponse")
      FROM held h
     WHERE r.account_id = $1 AND r.id = h.id AND r.id = ANY (ARRAY(SELECT id FROM held))
       AND r.owner = h.owner AND r.state = 'running'
    RETURNING r.owner`,
};

/**
 * Stores the responses that repeats get if their requests never end, before those call tools. Returns the number of keys that their owner
 * still held.
 */
export async function keepKeys(
  database: Queryable,
  accountId: string,
  keys: readonly SettledKey[],
): Promise<number> {
  return (await database.run(keep, [accountId, jsonRows(settledColumns, keys)])).length;
}

const leaseColumns = { id: 'text', agentId: 'text', owner: 'text' };

// $1 account, $2 leases.
const markClaimed: Statement = {
  name: 'invocations_mark_claimed',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'h', leaseColumns)} ORDER BY "agentId", id
    )
    UPDATE invocations v SET has_acted = true
      FROM held h
     WHERE v.account_id = $1 AND v.agent_id = h."agentId" AND v.id = h.id AND v.lease_owner = h.owner AND v.status = 'running'
       AND v.agent_id = ANY (ARRAY(SELECT "agentId" FROM held)) AND v.id = ANY (ARRAY(SELECT id FROM held))
    RETURNING v.id`,
};

/**
 * Marks invocations that are about to call tools, after which they must not run again. Returns the number of those that their worker
 * still held. Call it before `keepKeys`, since all code locks these rows in that order.
 */
export async function markClaimedInvocations(
  database: Queryable,
  accountId: string,
  leases: readonly Held<Omit<InvocationKey, 'accountId'>>[],
): Promise<number> {
  return (await database.run(markClaimed, [accountId, jsonRows(leaseColumns, leases)])).length;
}
