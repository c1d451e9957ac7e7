/**
 * Claims asynchronous invocations for a worker.
 * Why SQL: FOR UPDATE SKIP LOCKED and the database's clock; Prisma supports neither.
 */
import type { Queryable, Statement } from '../connection.js';
import type { QueuedInvocation } from './invocations-enqueue.js';

export interface ClaimedInvocation extends QueuedInvocation {
  accountId: string;
  /** How often it was claimed without being released, including this time. */
  attempts: number;
}

const claim: Statement = {
  name: 'invocations_claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT id FROM invocations i
       WHERE status IN ('queued', 'running') AND available_at <= now()
         AND (session_id IS NULL OR NOT EXISTS (
               SELECT FROM invocations earlier
                WHERE earlier.agent_id = i.agent_id AND earlier.session_id = i.session_id AND earlier.id < i.id
                  AND earlier.user_id IS NOT DISTINCT FROM i.user_id
                  AND earlier.status IN ('queued', 'running')))
       ORDER BY available_at
       LIMIT $3
         FOR UPDATE SKIP LOCKED
    )
    UPDATE invocations i
       SET status = 'running', lease_owner = $1, attempts = attempts + 1, available_at = now() + $2 * interval '1 ms'
      FROM due, agents a
     WHERE i.id = due.id AND a.id = i.agent_id
    RETURNING i.id, i.agent_id AS "agentId", a.account_id AS "accountId", i.user_id AS "userId",
              i.session_id AS "sessionId", i.message, i.context, i.created_by AS "createdBy",
              i.created_at AS "createdAt", i.idempotency_id AS "idempotencyId", i.attempts`,
};

/** Claims up to `count` invocations, oldest first; only the first of each session, to keep its messages in order. */
export function claimInvocations(
  database: Queryable,
  worker: string,
  { count, leaseMs }: { count: number; leaseMs: number },
): Promise<ClaimedInvocation[]> {
  return database.run<ClaimedInvocation>(claim, [worker, leaseMs, count]);
}
