/**
 * The leases of deliveries: renews them, and releases those whose attempt did not finish, so that no worker has to wait until they expire.
 * Why SQL: leases expire by the database's clock, which Prisma cannot write; one statement serves a batch and sends NOTIFY.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { asyncCommit } from '../postgres/fragments.sql.js';

/** Identifies a delivery and the owner of its lease. */
export interface Lease {
  accountId: string;
  eventId: string;
  webhookId: string;
  owner: string;
}

/** The rows `d` of deliveries that the leases still hold: $1 accounts, $2 events, $3 webhooks, $4 owners. */
const heldDeliveries = `
  unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS held (account_id, event_id, webhook_id, owner)
  WHERE d.account_id = held.account_id AND d.event_id = held.event_id AND d.webhook_id = held.webhook_id
    AND d.lease_owner = held.owner AND d.status = 'pending'`;

function leaseColumns(leases: readonly Lease[]): string[][] {
  return [
    leases.map(({ accountId }) => accountId),
    leases.map(({ eventId }) => eventId),
    leases.map(({ webhookId }) => webhookId),
    leases.map(({ owner }) => owner),
  ];
}

// SKIP LOCKED: waiting could deadlock with a batch of results that holds some of these rows. A locked row counts as held; the
// next renewal finds out.
const renew: Statement = {
  name: 'deliveries_renew',
  text: `
    WITH ${asyncCommit},
    free AS MATERIALIZED (
      SELECT d.account_id, d.event_id, d.webhook_id FROM deliveries d, ${heldDeliveries} FOR NO KEY UPDATE OF d SKIP LOCKED
    ),
    renewed AS (
      UPDATE deliveries d SET next_attempt_at = now() + $5 * interval '1 ms'
        FROM async_commit, free
       WHERE d.account_id = free.account_id AND d.event_id = free.event_id AND d.webhook_id = free.webhook_id
    )
    SELECT d.account_id AS "accountId", d.event_id AS "eventId", d.webhook_id AS "webhookId", d.lease_owner AS owner
      FROM deliveries d, ${heldDeliveries}`,
};

/** Returns the leases still held; the other deliveries were taken over, given up or deleted. */
export function renewLeases(
  database: Database,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<Lease[]> {
  return database.run<Lease>(renew, [...leaseColumns(leases), leaseMs]);
}

const release: Statement = {
  name: 'deliveries_release',
  text: `
    WITH released AS (
      UPDATE deliveries d SET next_attempt_at = now(), lease_owner = NULL FROM ${heldDeliveries} RETURNING 1
    )
    SELECT pg_notify($5, '') FROM (SELECT FROM released LIMIT 1) any_of_them`,
};

export async function releaseLeases(
  database: Queryable,
  leases: readonly Lease[],
  channel: string,
): Promise<void> {
  await database.run(release, [...leaseColumns(leases), channel]);
}
