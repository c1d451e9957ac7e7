/** Asynchronous invocations that wait to be run: each is claimed under a lease, which a worker that dies lets end. */
import type { Transaction } from './database.js';
import type { Sql, Statement } from './sql.js';

export interface QueuedInvocation {
  id: string;
  agentId: string;
  userId: string | null;
  sessionId: string | null;
  message: string;
  context: Record<string, unknown> | null;
  createdBy: string | null;
  createdAt: Date;
  /** The idempotency record that gets the result. */
  idempotencyId: Buffer | null;
}

export interface ClaimedInvocation extends QueuedInvocation {
  accountId: string;
  /** How often it was claimed and not given back, this time included. */
  attempts: number;
}

export interface InvocationQueue {
  /** The oldest that may run, up to so many. Of one session only the first: its turns stay in their order. */
  claim: (worker: string, count: number) => Promise<ClaimedInvocation[]>;
  /** Returns the ids of those that are still this worker's. */
  renew: (worker: string, ids: readonly string[]) => Promise<Set<string>>;
  /** For a worker that stops in good order: as if it had never been claimed. */
  giveBack: (worker: string, id: string) => Promise<void>;
}

/** On which new work is announced. */
export const invocationChannel = 'ahs_invocations';

export const invocationLeaseMs = 8_000;

/** False: the agent is gone. */
export async function enqueue(
  transaction: Transaction,
  { id, agentId, userId, sessionId, message, context, ...rest }: QueuedInvocation,
): Promise<boolean> {
  const { createdBy, createdAt, idempotencyId } = rest;
  const json = context === null ? null : JSON.stringify(context);
  // Due by the clock of the database, which is the one that claims go by.
  const announced = await transaction.$queryRaw<unknown[]>`
    WITH agent AS MATERIALIZED (SELECT id FROM agents WHERE id = ${agentId} FOR KEY SHARE),
    queued AS (
      INSERT INTO invocations (id, agent_id, status, user_id, session_id, message, context, created_by, created_at,
                               idempotency_id, available_at)
      SELECT ${id}, agent.id, 'queued', ${userId}, ${sessionId}, ${message}, ${json}::jsonb, ${createdBy},
             ${createdAt}::timestamptz, ${idempotencyId}::bytea, now()
        FROM agent
      RETURNING 1
    )
    SELECT pg_notify(${invocationChannel}, '')::text FROM queued`;
  return announced.length === 1;
}

export function createInvocationQueue(sql: Sql, leaseMs = invocationLeaseMs): InvocationQueue {
  return {
    claim: (worker, count) => sql.run<ClaimedInvocation & object>(CLAIM, [worker, leaseMs, count]),
    renew: async (worker, ids) => {
      const kept = await sql.run<{ id: string }>(RENEW, [worker, leaseMs, ids]);
      return new Set(kept.map(({ id }) => id));
    },
    giveBack: async (worker, id) => {
      await sql.run(GIVE_BACK, [worker, id]);
    },
  };
}

const CLAIM: Statement = {
  name: 'invocations_claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT id FROM invocations i
       WHERE status IN ('queued', 'running') AND available_at <= now()
         AND (session_id IS NULL OR NOT EXISTS (
               SELECT FROM invocations earlier
                WHERE earlier.agent_id = i.agent_id AND earlier.session_id = i.session_id AND earlier.id < i.id
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

const RENEW: Statement = {
  name: 'invocations_renew',
  text: `
    UPDATE invocations SET available_at = now() + $2 * interval '1 ms'
     WHERE id = ANY ($3::text[]) AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

const GIVE_BACK: Statement = {
  name: 'invocations_give_back',
  text: `
    WITH given AS (
      UPDATE invocations
         SET status = 'queued', lease_owner = NULL, attempts = attempts - 1, available_at = now()
       WHERE id = $2 AND lease_owner = $1 AND status = 'running'
      RETURNING 1
    )
    SELECT pg_notify('${invocationChannel}', '') FROM given`,
};
