/**
 * The lease of a worker on an asynchronous invocation: begins an attempt, renews the lease, and releases it.
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
