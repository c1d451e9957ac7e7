/**
 * The lease on an asynchronous invocation, while a worker has it: begins an attempt under it, renews it and releases it.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write, and NOTIFY is sent with the release.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

/** Both parts of its key. */
export interface InvocationKey {
  agentId: string;
  id: string;
}

/** The rows `i` of invocations that a worker still holds: $1 the worker, $3 agents, $4 ids. */
const heldInvocations = `
  unnest($3::text[], $4::text[]) AS held (agent_id, id)
  WHERE i.agent_id = held.agent_id AND i.id = held.id AND i.lease_owner = $1 AND i.status = 'running'`;

// Waits for nobody, since whoever records or cancels several may hold one and wait for another: a deadlock. What somebody has
// locked is still held as far as anybody can tell; the next renewal knows.
const renew: Statement = {
  name: 'invocations_renew',
  text: `
    WITH free AS MATERIALIZED (
      SELECT i.agent_id, i.id FROM invocations i, ${heldInvocations} FOR NO KEY UPDATE OF i SKIP LOCKED
    ),
    renewed AS (
      UPDATE invocations i SET available_at = now() + $2 * interval '1 ms'
        FROM free WHERE i.agent_id = free.agent_id AND i.id = free.id
    )
    SELECT i.id FROM invocations i, ${heldInvocations}`,
};

const begin: Statement = {
  name: 'invocations_begin',
  text: `
    UPDATE invocations SET attempts = attempts + 1, available_at = now() + $2 * interval '1 ms'
     WHERE agent_id = $4 AND id = $3 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** Counts the attempt. Returns false if another worker holds the invocation. */
export async function beginInvocation(
  database: Queryable,
  worker: string,
  { agentId, id }: InvocationKey,
  leaseMs: number,
): Promise<boolean> {
  return (await database.run(begin, [worker, leaseMs, id, agentId])).length > 0;
}

/** Returns the ids of those that this worker still holds. */
export async function renewInvocations(
  database: Queryable,
  worker: string,
  held: readonly InvocationKey[],
  leaseMs: number,
): Promise<Set<string>> {
  const agentIds = held.map(({ agentId }) => agentId);
  const ids = held.map(({ id }) => id);
  const renewed = await database.run<{ id: string }>(renew, [worker, leaseMs, agentIds, ids]);
  return new Set(renewed.map(({ id }) => id));
}

const release: Statement = {
  name: 'invocations_release',
  text: `
    WITH given AS (
      UPDATE invocations
         SET status = 'queued', lease_owner = NULL, attempts = coalesce($4, attempts), available_at = now()
       WHERE agent_id = $5 AND id = $2 AND lease_owner = $1 AND status = 'running'
      RETURNING 1
    )
    SELECT pg_notify($3, '') FROM given`,
};

export async function releaseInvocation(
  database: Queryable,
  worker: string,
  { agentId, id }: InvocationKey,
  { channel, attempts }: { channel: string; attempts: number | null },
): Promise<void> {
  await database.run(release, [worker, id, channel, attempts, agentId]);
}
