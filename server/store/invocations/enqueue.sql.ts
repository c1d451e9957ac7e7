/**
 * Queues an asynchronous invocation, unless the account has too many, and notifies the workers.
 * Why SQL: a row lock on the agent, the database's clock and NOTIFY; Prisma supports none of them.
 */
import type { Statement, Transaction } from '../postgres/connection.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';

export interface QueuedInvocation {
  id: string;
  agentId: string;
  accountId: string;
  userId: string | null;
  sessionId: string | null;
  message: string;
  context: Readonly<Record<string, unknown>> | null;
  createdBy: string | null;
  createdAt: Date;
  /** The idempotency record that receives the result. */
  idempotencyId: Buffer | null;
  /** The trace that its run continues; null if it is not traced. */
  traceContext?: string | null;
}

const enqueue: Statement = {
  name: 'invocations_enqueue',
  text: `
    WITH agent AS MATERIALIZED (SELECT id FROM agents WHERE id = $2 FOR KEY SHARE),
    waiting AS MATERIALIZED (
      SELECT count(*) < $12 AS has_room FROM (
        SELECT FROM invocations WHERE account_id = $11 AND status IN ('queued', 'running') LIMIT $12) AS counted
    ),
    queued AS (
      INSERT INTO invocations (id, agent_id, account_id, status, user_id, session_id, message, context, created_by, created_at,
                               idempotency_id, trace_context, available_at)
      SELECT $1, agent.id, $11, 'queued', $3, $4, $5, $6::jsonb, $7, $8::timestamptz, $9::bytea, $13, now()
        FROM agent, waiting WHERE has_room
      RETURNING 1
    )
    SELECT has_room AS "hasRoom", EXISTS (SELECT FROM agent) AS "hasAgent",
           (SELECT pg_notify($10, '')::text FROM queued)
      FROM waiting`,
};

export type Enqueued = 'queued' | 'agent_gone' | 'too_many';

/** `maxQueued` is what the account may have waiting or running; the lock makes it exact. */
export async function enqueueInvocation(
  transaction: Transaction,
  invocation: QueuedInvocation,
  { channel, maxQueued }: { channel: string; maxQueued: number },
): Promise<Enqueued> {
  const { id, agentId, accountId, userId, sessionId, message, context } = invocation;
  const { createdBy, createdAt, idempotencyId, traceContext = null } = invocation;
  await takeTransactionLock(transaction, `invocations ${accountId}`);
  const [result] = await transaction.run<{ hasRoom: boolean; hasAgent: boolean }>(enqueue, [
    id,
    agentId,
    userId,
    sessionId,
    message,
    context && JSON.stringify(context),
    createdBy,
    createdAt,
    idempotencyId,
    channel,
    accountId,
    maxQueued,
    traceContext,
  ]);
  if (!result?.hasAgent) return 'agent_gone';
  return result.hasRoom ? 'queued' : 'too_many';
}
