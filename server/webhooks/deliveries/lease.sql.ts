/**
 * Renews the leases of deliveries, and releases those of unfinished attempts, so that no worker has to wait until they expire.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write; one statement serves a batch.
 */
import { groupBy } from '../../lib/data/group-by.js';
import type { Queryable, Statement } from '../../postgres/connection.js';
import type { Database } from '../../postgres/database.js';
import { asyncCommit } from '../../postgres/fragments.sql.js';
import { type Held, leaseEnd } from '../../postgres/lease.sql.js';

/** A delivery and the owner of its lease. */
export type DeliveryLease = Held<{ accountId: string; eventId: string; webhookId: string }>;

/** Selects the rows whose leases are still held. $1 account, $2 events, which the index needs, $3 leases. */
const isHeld = `
  account_id = $1 AND event_id = ANY ($2::text[]) AND status = 'pending'
  AND event_id || ' ' || webhook_id || ' ' || lease_owner = ANY ($3::text[])`;

const valuesOf = (accountId: string, leases: readonly DeliveryLease[]) => [
  accountId,
  leases.map(({ eventId }) => eventId),
  leases.map(({ eventId, webhookId, owner }) => `${eventId} ${webhookId} ${owner}`),
];

// SKIP LOCKED: waiting could deadlock with a batch of results that holds some of these rows. A locked row counts as held until the
// next renewal.
const renew: Statement = {
  name: 'deliveries_renew',
  text: `
    WITH free AS MATERIALIZED (
      SELECT event_id, webhook_id FROM deliveries WHERE ${isHeld} FOR NO KEY UPDATE SKIP LOCKED
    ),
    renewed AS (
      UPDATE deliveries d SET next_attempt_at = ${leaseEnd('$4')}
        FROM ${asyncCommit}, free
       WHERE d.account_id = $1 AND d.event_id = free.event_id AND d.webhook_id = free.webhook_id
    )
    SELECT account_id AS "accountId", event_id AS "eventId", webhook_id AS "webhookId", lease_owner AS owner
      FROM deliveries WHERE ${isHeld}`,
};

/** Returns the leases still held; the other deliveries were taken over, given up or deleted. */
export async function renewLeases(
  database: Database,
  leases: readonly DeliveryLease[],
  leaseMs: number,
): Promise<DeliveryLease[]> {
  const renewed = await Promise.all(
    [...groupBy(leases, ({ accountId }) => accountId)].map(([accountId, ofAccount]) =>
      database.run<DeliveryLease>(renew, [...valuesOf(accountId, ofAccount), leaseMs]),
    ),
  );
  return renewed.flat();
}

const release: Statement = {
  name: 'deliveries_release',
  text: `UPDATE deliveries SET next_attempt_at = now(), lease_owner = NULL WHERE ${isHeld}`,
};

export async function releaseLeases(
  database: Queryable,
  leases: readonly DeliveryLease[],
): Promise<void> {
  for (const [accountId, ofAccount] of groupBy(leases, (lease) => lease.accountId)) {
    await database.run(release, valuesOf(accountId, ofAccount));
  }
}
