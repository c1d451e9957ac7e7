/**
 * Queues an asynchronous invocation and notifies the workers.
 * Why SQL: a row lock on the agent, the database's clock and NOTIFY; Prisma supports none of them.
 */
import type { Statement, Transaction } from '../connection.js';

export interface QueuedInvocation {
  id: string;
  agentId: string;
  userId: string | null;
  sessionId: string | null;
  message: string;
  context: Readonly<Record<string, unknown>> | null;
  createdBy: string | null;
  createdAt: Date;
  /** The idempotency record that receives the result. */
  idempotencyId: Buffer | null;
}

const enqueue: Statement = {
  name: 'invocations_enqueue',
  text: `
    WITH agent AS MATERIALIZED (SELECT id FROM agents WHERE id = $2 FOR KEY SHARE),
    queued AS (
      INSERT INTO invocations (id, agent_id, status, user_id, session_id, message, context, created_by, created_at,
                               idempotency_id, available_at)
      SELECT $1, agent.id, 'queued', $3, $4, $5, $6::jsonb, $7, $8::timestamptz, $9::bytea, now()
        FROM agent
      RETURNING 1
    )
    SELECT pg_notify($10, '')::text FROM queued`,
};

/** Returns false if the agent no longer exists. */
export async function enqueueInvocation(
  transaction: Transaction,
  invocation: QueuedInvocation,
  channel: string,
): Promise<boolean> {
  const { id, agentId, userId, sessionId, message, context } = invocation;
  const { createdBy, createdAt, idempotencyId } = invocation;
  const queued = await transaction.run(enqueue, [
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
  ]);
  return queued.length === 1;
}
