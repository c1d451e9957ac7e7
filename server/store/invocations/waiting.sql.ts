/**
 * Lists asynchronous invocations that wait or run, takes one over from its worker, and deletes those of an agent.
 * Why SQL: the queue's partial index is used only for literal states, and taking over needs a row lock to return the previous state.
 */
import type { Queryable, Statement, Transaction } from '../postgres/connection.js';
import type { QueuedInvocation } from './enqueue.sql.js';

export type WaitingStatus = 'queued' | 'running';

export interface WaitingInvocation {
  id: string;
  agentId: string;
  agentName: string;
  status: WaitingStatus;
  userId: string | null;
  /** The number of attempts that called the model. */
  attempts: number;
  createdAt: Date;
}

/** An undefined filter matches any value. */
export interface WaitingFilter {
  accountId: string;
  agentId?: string | undefined;
  userId?: string | undefined;
  status?: WaitingStatus | undefined;
  limit: number;
}

const list: Statement = {
  name: 'invocations_waiting',
  text: `
    SELECT i.id, i.agent_id AS "agentId", a.name AS "agentName", i.status, i.user_id AS "userId", i.attempts,
           i.created_at AS "createdAt"
      FROM invocations i
      JOIN agents a ON a.id = i.agent_id
     WHERE i.account_id = $1 AND i.status IN ('queued', 'running')
       AND ($2::text IS NULL OR i.agent_id = $2) AND ($3::text IS NULL OR i.user_id = $3)
       AND ($4::text IS NULL OR i.status::text = $4)
     ORDER BY i.id
     LIMIT $5`,
};

/** Oldest first. */
export function listWaiting(
  database: Queryable,
  { accountId, agentId, userId, status, limit }: WaitingFilter,
): Promise<WaitingInvocation[]> {
  const values = [accountId, agentId ?? null, userId ?? null, status ?? null, limit];
  return database.run<WaitingInvocation>(list, values);
}

export interface TakenInvocation extends QueuedInvocation {
  /** Its previous status. */
  was: WaitingStatus;
}

const takeOver: Statement = {
  name: 'invocations_take_over',
  text: `
    WITH waiting AS MATERIALIZED (
      SELECT agent_id, id, status FROM invocations
       WHERE account_id = $2 AND agent_id = $4 AND id = $1 AND status IN ('queued', 'running') FOR UPDATE
    )
    UPDATE invocations i SET status = 'running', lease_owner = $3
      FROM waiting WHERE i.account_id = $2 AND i.agent_id = waiting.agent_id AND i.id = waiting.id
    RETURNING waiting.status::text AS was, i.id, i.agent_id AS "agentId", i.account_id AS "accountId",
              i.user_id AS "userId", i.session_id AS "sessionId", i.message, i.context, i.created_by AS "createdBy",
              i.created_at AS "createdAt", i.idempotency_id AS "idempotencyId",
              i.trace_context AS "traceContext"`,
};

/**
 * Gives the lease to `owner`. A worker that runs the invocation loses its lease, stops, and records nothing. Undefined: no such
 * invocation waits or runs. The caller must have locked the agent.
 */
export async function takeOverInvocation(
  transaction: Transaction,
  {
    id,
    agentId,
    accountId,
    owner,
  }: { id: string; agentId: string; accountId: string; owner: string },
): Promise<TakenInvocation | undefined> {
  const values = [id, accountId, owner, agentId];
  const [taken] = await transaction.run<TakenInvocation>(takeOver, values);
  return taken;
}

const deleteAll: Statement = {
  name: 'invocations_delete_waiting',
  text: `DELETE FROM invocations WHERE account_id = $1 AND agent_id = $2 AND status IN ('queued', 'running')`,
};

/** Deletes immediately, so that no worker runs a deleted agent. The caller must hold the exclusive lock on the agent. */
export async function deleteWaitingInvocations(
  transaction: Transaction,
  { accountId, agentId }: { accountId: string; agentId: string },
): Promise<void> {
  await transaction.run(deleteAll, [accountId, agentId]);
}
