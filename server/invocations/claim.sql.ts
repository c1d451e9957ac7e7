/**
 * The queue of asynchronous invocations: finds the next account with due invocations, and claims them for a worker.
 * Why SQL: FOR UPDATE SKIP LOCKED and the database's clock; Prisma supports neither.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { leaseEnd } from '../postgres/lease.sql.js';
import { selected } from '../postgres/rows.sql.js';
import { type ClaimedInvocation, queuedFields } from './row.js';

interface InvocationClaim {
  owner: string;
  accountId: string;
  limit: number;
  leaseMs: number;
}

const nextAccount: Statement = {
  name: 'invocations_next_account',
  text: `
    SELECT account_id AS "accountId" FROM invocations
     WHERE status IN ('queued', 'running') AND account_id > $1 AND available_at <= now()
     ORDER BY account_id LIMIT 1`,
};

/** Returns the next account, in the order of ids, that has due invocations; starts over after the last. Undefined: nothing is due. */
export async function findNextAccount(
  database: Queryable,
  after: string,
): Promise<string | undefined> {
  const [next] = await database.run<{ accountId: string }>(nextAccount, [after]);
  if (next || after === '') return next?.accountId;
  return findNextAccount(database, '');
}

// $1 owner, $2 account, $3 limit, $4 lease in ms. The constant limit tells the planner that few rows are updated, which it cannot
// derive from the parameter.
const claim: Statement = {
  name: 'invocations_claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT * FROM (
        SELECT agent_id, id FROM invocations i
         WHERE account_id = $2 AND status IN ('queued', 'running') AND available_at <= now()
           AND (session_id IS NULL OR NOT EXISTS (
                 SELECT FROM invocations earlier
                  WHERE earlier.account_id = $2 AND earlier.agent_id = i.agent_id AND earlier.session_id = i.session_id
                    AND earlier.id < i.id AND earlier.user_id IS NOT DISTINCT FROM i.user_id
                    AND earlier.status IN ('queued', 'running')))
         ORDER BY available_at LIMIT $3
           FOR UPDATE SKIP LOCKED) AS oldest
       LIMIT 1000
    )
    UPDATE invocations i SET status = 'running', lease_owner = $1, available_at = ${leaseEnd('$4')}
      FROM due
     WHERE i.account_id = $2 AND i.agent_id = due.agent_id AND i.id = due.id
    RETURNING ${selected('i', [...queuedFields, 'attempts', 'hasActed'])}`,
};

/** Claims the oldest due invocations of the account; only the first of each session, to keep its messages in order. */
export function claimInvocations(
  database: Queryable,
  { owner, accountId, limit, leaseMs }: InvocationClaim,
): Promise<ClaimedInvocation[]> {
  return database.run<ClaimedInvocation & object>(claim, [owner, accountId, limit, leaseMs]);
}
