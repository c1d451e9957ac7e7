/**
 * Renews the leases of asynchronous invocations that a worker runs.
 * Why SQL: leases end by the clock of the database, which Prisma cannot write.
 */
import type { Queryable, Statement } from '../connection.js';

const renew: Statement = {
  name: 'invocations_renew',
  text: `
    UPDATE invocations SET available_at = now() + $2 * interval '1 ms'
     WHERE id = ANY ($3::text[]) AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** The ids of those that are still this worker's. */
export async function renewInvocations(
  database: Queryable,
  worker: string,
  ids: readonly string[],
  leaseMs: number,
): Promise<Set<string>> {
  const kept = await database.run<{ id: string }>(renew, [worker, leaseMs, ids]);
  return new Set(kept.map(({ id }) => id));
}
