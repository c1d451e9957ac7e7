/**
 * Renews the lease of an idempotency record whose request is still running.
 * Why SQL: the lease expires by the database's clock, which Prisma cannot write.
 */
import type { Queryable, Statement } from '../connection.js';

const renew: Statement = {
  name: 'idempotency-renew',
  text: `
    UPDATE idempotency_records SET lease_until = now() + $3 * interval '1 ms'
     WHERE id = $1 AND owner = $2 AND state = 'running'
    RETURNING 1`,
};

/** Returns false if the claim is lost. */
export async function renewRecord(
  database: Queryable,
  { id, owner }: { id: Uint8Array; owner: string },
  leaseMs: number,
): Promise<boolean> {
  const renewed = await database.run(renew, [id, owner, leaseMs]);
  return renewed.length > 0;
}
