/**
 * The queue of asynchronous invocations: finds the next account with due invocations, and claims them for a worker.
 * Why SQL: FOR UPDATE SKIP LOCKED and the database's clock; Prisma supports neither.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { QueuedInvocation } from './enqueue.sql.js';

export interface ClaimedInvocation extends QueuedInvocation {
  /** The number of workers that died while they ran it. */
  attempts: number;
  /** Whether an earlier attempt called tools. */
  hasActed: boolean;
}

interface InvocationClaim {
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

// $1 worker, $2 account, $3 limit, $4 lease in ms. The constant limit tells the planner that few rows are updated, which it cannot
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
    UPDATE invocations i SET status = 'running', lease_owner = $1, available_at = now() + $4 * interval '1 ms'
      FROM due
     WHERE i.account_id = $2 AND i.agent_id = due.agent_id AND i.id = due.id
    RETURNING i.id, i.agent_id AS "agentId", i.account_id AS "accountId", i.user_id AS "userId",
              i.session_id AS "sessionId", i.message, i.context, i.created_by AS "createdBy",
              i.created_at AS "createdAt", i.idempotency_id AS "idempotencyId", i.attempts,
              i.has_acted AS "hasActed", i.trace_context AS "traceContext"`,
};

/** Claims the oldest due invocations of the account; only the first of each session, to keep its messages in order. */
export function claimInvocations(
  database: Queryable,
  worker: string,
  { accountId, limit, leaseMs }: InvocationClaim,
): Promise<ClaimedInvocation[]> {
  return database.run<ClaimedInvocation>(claim, [worker, accountId, limit, leaseMs]);
}
