/**
 * The lease of a worker on an asynchronous invocation: begins an attempt, marks that it has acted, renews the
 * lease, and releases it.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

/** The primary key of an invocation. */
export interface InvocationKey {
  accountId: string;
  agentId: string;
  id: string;
}

// $1 worker, $2 lease in ms, $3 account, $4 ids. SKIP LOCKED: waiting could deadlock with a statement that records or cancels several
// invocations. A locked row counts as held until the next renewal.
const renew: Statement = {
  name: 'invocations_renew',
  text: `
    WITH free AS MATERIALIZED (
      SELECT agent_id, id FROM invocations
       WHERE account_id = $3 AND id = ANY ($4::text[]) AND lease_owner = $1 AND status = 'running'
         FOR NO KEY UPDATE SKIP LOCKED
    ),
    renewed AS (
      UPDATE invocations i SET available_at = now() + $2 * interval '1 ms'
        FROM free WHERE i.account_id = $3 AND i.agent_id = free.agent_id AND i.id = free.id
    )
    SELECT id FROM invocations
     WHERE account_id = $3 AND id = ANY ($4::text[]) AND lease_owner = $1 AND status = 'running'`,
};

/** Renews the leases of one account's invocations. Returns the ids of those that this worker still holds. */
export async function renewInvocations(
  database: Queryable,
  worker: string,
  held: { accountId: string; ids: readonly string[] },
  leaseMs: number,
): Promise<string[]> {
  const values = [worker, leaseMs, held.accountId, held.ids];
  const renewed = await database.run<{ id: string }>(renew, values);
  return renewed.map(({ id }) => id);
}

const begin: Statement = {
  name: 'invocations_begin',
  text: `
    UPDATE invocations SET attempts = attempts + 1, available_at = now() + $2 * interval '1 ms'
     WHERE account_id = $3 AND agent_id = $4 AND id = $5 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** Counts the attempt. Returns false if another worker holds the invocation. */
export async function beginInvocation(
  database: Queryable,
  worker: string,
  { accountId, agentId, id }: InvocationKey,
  leaseMs: number,
): Promise<boolean> {
  return (await database.run(begin, [worker, leaseMs, accountId, agentId, id])).length > 0;
}

const release: Statement = {
  name: 'invocations_release',
  text: `
    UPDATE invocations
       SET status = 'queued', lease_owner = NULL, attempts = coalesce($2, attempts), available_at = now()
     WHERE account_id = $3 AND agent_id = $4 AND id = $5 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** Returns false if another worker holds the invocation. */
export async function releaseInvocation(
  database: Queryable,
  worker: string,
  { accountId, agentId, id }: InvocationKey,
  attempts: number | null,
): Promise<boolean> {
  return (await database.run(release, [worker, attempts, accountId, agentId, id])).length > 0;
}

// $1 account, $2 rows.
const markClaimed: Statement = {
  name: 'invocations_mark_claimed',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM json_to_recordset($2::json) AS h (id text, "agentId" text, worker text) ORDER BY "agentId", id
    )
    UPDATE invocations v SET has_acted = true
      FROM held h
     WHERE v.account_id = $1 AND v.agent_id = h."agentId" AND v.id = h.id AND v.lease_owner = h.worker AND v.status = 'running'
       AND v.agent_id = ANY (ARRAY(SELECT "agentId" FROM held)) AND v.id = ANY (ARRAY(SELECT id FROM held))
    RETURNING v.id`,
};

interface ActingRow extends Pick<InvocationKey, 'agentId' | 'id'> {
  worker: string;
}

/**
 * Marks invocations that are about to call tools, after which they must not run again. Returns the number of those that their worker
 * still held. Call it before `keepKeys`, since all code locks these rows in that order.
 */
export async function markClaimedInvocations(
  database: Queryable,
  accountId: string,
  rows: readonly ActingRow[],
): Promise<number> {
  return (await database.run(markClaimed, [accountId, JSON.stringify(rows)])).length;
}
