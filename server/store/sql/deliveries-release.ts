/**
 * Releases deliveries whose attempt did not finish, so that other workers need not wait for the leases to expire.
 * Why SQL: they become due by the database's clock, and NOTIFY is sent in the same statement.
 */
import type { Queryable, Statement } from '../connection.js';
import { heldDeliveries, type Lease, leaseColumns } from './deliveries-renew.js';

const release: Statement = {
  name: 'deliveries_release',
  text: `
    WITH released AS (
      UPDATE deliveries d SET next_attempt_at = now(), lease_owner = NULL FROM ${heldDeliveries} RETURNING 1
    )
    SELECT pg_notify($4, '') FROM (SELECT FROM released LIMIT 1) any_of_them`,
};

export async function releaseLeases(
  database: Queryable,
  leases: readonly Lease[],
  channel: string,
): Promise<void> {
  await database.run(release, [...leaseColumns(leases), channel]);
}
