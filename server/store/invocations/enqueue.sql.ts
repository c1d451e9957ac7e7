/**
 * Queues an asynchronous invocation, unless the account has too many.
 * Why SQL: an invocation becomes due by the database's clock, which Prisma cannot write.
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
  /** The trace that its run continues. Null: it is not traced. */
  traceContext?: string | null;
}

const count: Statement = {
  name: 'invocations_count_waiting',
  text: `
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM invocations WHERE account_id = $1 AND status IN ('queued', 'running') LIMIT $2) AS waiting`,
};

const enqueue: Statement = {
  name: 'invocations_enqueue',
  text: `
    INSERT INTO invocations (account_id, agent_id, id, status, user_id, session_id, message, context, created_by, created_at,
                             idempotency_id, trace_context, available_at)
    SELECT $1, id, $3, 'queued', $4, $5, $6, $7::jsonb, $8, $9::timestamptz, $10::bytea, $11, now()
      FROM agents WHERE account_id = $1 AND id = $2
    RETURNING id`,
};

export type Enqueued = 'queued' | 'agent_gone' | 'too_many';

/** `maxQueued` limits the account's waiting and running invocations, unless it is Infinity; the lock makes the limit exact. */
export async function enqueueInvocation(
  transaction: Transaction,
  invocation: QueuedInvocation,
  maxQueued: number,
): Promise<Enqueued> {
  const { id, agentId, accountId, userId, sessionId, message, context } = invocation;
  const { createdBy, createdAt, idempotencyId, traceContext = null } = invocation;
  if (maxQueued !== Infinity) {
    await takeTransactionLock(transaction, `invocations ${accountId}`);
    const [waiting] = await transaction.run<{ count: number }>(count, [accountId, maxQueued]);
    if (!waiting || waiting.count >= maxQueued) return 'too_many';
  }
  const queued = await transaction.run(enqueue, [
    accountId,
    agentId,
    id,
    userId,
    sessionId,
    message,
    context && JSON.stringify(context),
    createdBy,
    createdAt,
    idempotencyId,
    traceContext,
  ]);
  return queued.length > 0 ? 'queued' : 'agent_gone';
}
