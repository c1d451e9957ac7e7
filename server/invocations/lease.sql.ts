/**
 * The lease of a worker on an asynchronous invocation: begins an attempt, marks that it has acted, renews the
 * lease, and releases it.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { type Held, leaseEnd } from '../postgres/lease.sql.js';
import { jsonRows, rowsFrom } from '../postgres/rows.sql.js';
import type { InvocationKey } from './row.js';

// $1 owner, $2 lease in ms, $3 account, $4 ids. SKIP LOCKED: waiting could deadlock with a statement that records or cancels several
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
      UPDATE invocations i SET available_at = ${leaseEnd('$2')}
        FROM free WHERE i.account_id = $3 AND i.agent_id = free.agent_id AND i.id = free.id
    )
    SELECT id FROM invocations
     WHERE account_id = $3 AND id = ANY ($4::text[]) AND lease_owner = $1 AND status = 'running'`,
};

/** Renews the leases of one account's invocations. Returns the ids of those that the owner still holds. */
export async function renewInvocations(
  database: Queryable,
  held: Held<{ accountId: string; ids: readonly string[] }>,
  leaseMs: number,
): Promise<string[]> {
  const values = [held.owner, leaseMs, held.accountId, held.ids];
  const renewed = await database.run<{ id: string }>(renew, values);
  return renewed.map(({ id }) => id);
}

const begin: Statement = {
  name: 'invocations_begin',
  text: `
    UPDATE invocations SET attempts = attempts + 1, available_at = ${leaseEnd('$2')}
     WHERE account_id = $3 AND agent_id = $4 AND id = $5 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** Counts the attempt. Returns false if another worker holds the invocation. */
export async function beginInvocation(
  database: Queryable,
  { owner, accountId, agentId, id }: Held<InvocationKey>,
  leaseMs: number,
): Promise<boolean> {
  return (await database.run(begin, [owner, leaseMs, accountId, agentId, id])).length > 0;
}

const release: Statement = {
  name: 'invocations_release',
  text: `
    UPDATE invocations
       SET status = 'queued', lease_owner = NULL, attempts = coalesce($2, attempts), available_at = now()
     WHERE account_id = $3 AND agent_id = $4 AND id = $5 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** Null as `attempts` keeps their number. Returns false if another worker holds the invocation. */
export async function releaseInvocation(
  database: Queryable,
  { owner, accountId, agentId, id }: Held<InvocationKey>,
  attempts: number | null,
): Promise<boolean> {
  return (await database.run(release, [owner, attempts, accountId, agentId, id])).length > 0;
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
