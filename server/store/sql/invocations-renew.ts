/**
 * Renews the leases of asynchronous invocations that a worker is running.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write.
 */
import type { Queryable, Statement } from '../connection.js';

const renew: Statement = {
  name: 'invocations_renew',
  text: `
    UPDATE invocations SET available_at = now() + $2 * interval '1 ms'
     WHERE id = ANY ($3::text[]) AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

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
