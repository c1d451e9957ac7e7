/**
 * The lease on an asynchronous invocation, while a worker has it: begins an attempt under it, renews it and releases it.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write, and NOTIFY is sent with the release.
 */
import type { Queryable, Statement } from '../connection.js';

const renew: Statement = {
  name: 'invocations_renew',
  text: `
    UPDATE invocations SET available_at = now() + $2 * interval '1 ms'
     WHERE id = ANY ($3::text[]) AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

const begin: Statement = {
  name: 'invocations_begin',
  text: `
    UPDATE invocations SET attempts = attempts + 1, available_at = now() + $2 * interval '1 ms'
     WHERE id = $3 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** Counts the attempt. Returns false if another worker holds the invocation. */
export async function beginInvocation(
  database: Queryable,
  worker: string,
  id: string,
  leaseMs: number,
): Promise<boolean> {
  return (await database.run(begin, [worker, leaseMs, id])).length > 0;
}

/** Returns the ids of those that this worker still holds. */
export async function renewInvocations(
  database: Queryable,
  worker: string,
  ids: readonly string[],
  leaseMs: number,
): Promise<Set<string>> {
  const renewed = await database.run<{ id: string }>(renew, [worker, leaseMs, ids]);
  return new Set(renewed.map(({ id }) => id));
}

const release: Statement = {
  name: 'invocations_release',
  text: `
    WITH given AS (
      UPDATE invocations
         SET status = 'queued', lease_owner = NULL, attempts = coalesce($4, attempts), available_at = now()
       WHERE id = $2 AND lease_owner = $1 AND status = 'running'
      RETURNING 1
    )
    SELECT pg_notify($3, '') FROM given`,
};

export async function releaseInvocation(
  database: Queryable,
  worker: string,
  id: string,
  { channel, attempts }: { channel: string; attempts: number | null },
): Promise<void> {
  await database.run(release, [worker, id, channel, attempts]);
}
