/**
 * Lists asynchronous invocations that wait or run, takes one over from its worker, and deletes those of an agent.
 * Why SQL: the queue's partial index is used only for literal states, and taking over needs a row lock to return the previous state.
 */
import type { Queryable, Statement, Transaction } from '../postgres/connection.js';
import type { Held } from '../postgres/lease.sql.js';
import { selected } from '../postgres/rows.sql.js';
import {
  type ClaimedInvocation,
  type InvocationKey,
  type QueuedInvocation,
  queuedFields,
} from './invocation.js';

export type WaitingStatus = 'queued' | 'running';

const listedFields = ['id', 'agentId', 'status', 'userId', 'attempts', 'createdAt'] as const;

export interface WaitingInvocation extends Pick<
  ClaimedInvocation,
  Exclude<(typeof listedFields)[number], 'status'>
> {
  agentName: string;
  status: WaitingStatus;
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
    SELECT ${selected('i', listedFields)}, a.name AS "agentName"
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
  return database.run<WaitingInvocation & object>(list, values);
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
    RETURNING waiting.status::text AS was, ${selected('i', queuedFields)}`,
};

/**
 * Gives the lease to `owner`. A worker that runs the invocation loses its lease, stops, and records nothing. Undefined: no such
 * invocation waits or runs. The caller must have locked the agent.
 */
export async function takeOverInvocation(
  transaction: Transaction,
  { id, agentId, accountId, owner }: Held<InvocationKey>,
): Promise<TakenInvocation | undefined> {
  const values = [id, accountId, owner, agentId];
  const [taken] = await transaction.run<TakenInvocation & object>(takeOver, values);
  return taken;
}

const deleteAll: Statement = {
  name: 'invocations_delete_waiting',
  text: `DELETE FROM invocations WHERE account_id = $1 AND agent_id = $2 AND status IN ('queued', 'running')`,
};

/**
 * Deletes immediately, so that no worker runs a deleted agent and nobody approves its calls. The caller must hold the exclusive lock on the
 * agent.
 */
export async function deleteWaitingInvocations(
  transaction: Transaction,
  { accountId, agentId }: Omit<InvocationKey, 'id'>,
): Promise<void> {
  await transaction.run(deleteAll, [accountId, agentId]);
  const where = { accountId, agentId };
  await transaction.prisma.pausedRun.deleteMany({ where });
  await transaction.prisma.runStep.deleteMany({ where });
}
