/**
 * The queue of pending deliveries: finds webhooks that have due deliveries, and claims due deliveries account by account. A claimed
 * delivery is leased: no other worker gets it until the lease expires, and its owner renews the lease during the attempt.
 * Why SQL: SKIP LOCKED, and the database's clock, so that workers' clocks may differ; Prisma supports neither.
 */
import type { EventType } from '../../../generated/api.js';
import { groupBy } from '../../lib/data/group-by.js';
import type { Queryable, Statement } from '../../postgres/connection.js';
import type { Database } from '../../postgres/database.js';
import { asyncCommit } from '../../postgres/fragments.sql.js';
import { type Held, leaseEnd } from '../../postgres/lease.sql.js';
import { notify } from '../../postgres/notify.sql.js';

/** The NOTIFY channel for deliveries that are due immediately. */
export const deliveryChannel = 'ahs_deliveries';

/** A delivery and the owner of its lease. */
export type DeliveryLease = Held<{ accountId: string; eventId: string; webhookId: string }>;

/** A webhook with due deliveries. */
export interface DueReceiver {
  accountId: string;
  webhookId: string;
  host: string;
}

export interface DeliveryClaim {
  accountId: string;
  /** The maximum number of deliveries to claim, by webhook id. The maximum of all together is `maxClaimed`. */
  limits: ReadonlyMap<string, number>;
  owner: string;
  leaseMs: number;
}

export interface ClaimedDelivery extends DeliveryLease {
  host: string;
  agentId: string;
  requestId: string;
  /** The trace that the delivery continues. Null: it is not traced. */
  traceContext: string | null;
  type: EventType;
  /** Null: the body is large and must be fetched when it is needed. */
  body: Buffer | null;
  url: string;
  sealedSecret: Buffer;
  isEnabled: boolean;
  /** The number of earlier attempts. */
  attempts: number;
  /** In Unix seconds. */
  claimedAt: number;
}

const inlineBodyBytes = 65_536;
/** The maximum number of deliveries that a claim returns. */
export const maxClaimed = 100;

// $1 the number of due deliveries to read; null: all.
const findDue: Statement = {
  name: 'deliveries_find_due',
  text: `
    SELECT account_id AS "accountId", id AS "webhookId", host
      FROM webhooks
     WHERE id IN (SELECT webhook_id FROM deliveries WHERE status = 'pending' AND next_attempt_at <= now()
                   ORDER BY next_attempt_at DESC LIMIT $1)`,
};

/** With a limit, reads the deliveries that became due last, so that the cost does not grow with the backlog. Null: reads all. */
export function findDueReceivers(
  database: Queryable,
  limit: number | null,
): Promise<DueReceiver[]> {
  return database.run<DueReceiver>(findDue, [limit]);
}

// $1 account, $2 webhooks, $3 their limits, $4 owner, $5 lease in ms. The constant limit tells the planner that few rows are updated,
// which it cannot derive from the parameters.
const claim: Statement = {
  name: 'deliveries_claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT oldest.* FROM unnest($2::text[], $3::int[]) AS receiver (webhook_id, max_count), LATERAL (
        SELECT event_id, webhook_id FROM deliveries
         WHERE account_id = $1 AND webhook_id = receiver.webhook_id AND status = 'pending' AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT receiver.max_count
         FOR NO KEY UPDATE SKIP LOCKED) AS oldest
       LIMIT ${maxClaimed}
    )
    UPDATE deliveries d SET lease_owner = $4, next_attempt_at = ${leaseEnd('$5')}
      FROM ${asyncCommit}, (SELECT floor(extract(epoch FROM now()))::float8 AS now) AS clock, due
      JOIN webhooks w ON w.id = due.webhook_id
      JOIN events e ON e.account_id = $1 AND e.id = due.event_id
     WHERE d.account_id = $1 AND d.event_id = due.event_id AND d.webhook_id = due.webhook_id
    RETURNING d.account_id AS "accountId", d.event_id AS "eventId", d.webhook_id AS "webhookId", d.lease_owner AS owner,
              d.attempts, w.host, w.url, w.sealed_secret AS "sealedSecret",
              w.status = 'enabled' AS "isEnabled", e.agent_id AS "agentId", e.request_id AS "requestId",
              e.trace_context AS "traceContext", e.type,
              CASE WHEN octet_length(e.body) <= ${inlineBodyBytes} THEN e.body END AS body,
              clock.now AS "claimedAt"`,
};

/** Claims the oldest due deliveries of each webhook. A claimed delivery is leased, and due again when the lease expires. */
export function claimDeliveries(
  database: Database,
  { accountId, limits, owner, leaseMs }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  const values = [accountId, [...limits.keys()], [...limits.values()], owner, leaseMs];
  return database.run<ClaimedDelivery>(claim, values);
}

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

/** Releases deliveries whose attempt did not finish, so that other workers need not wait for the leases to expire. */
export async function releaseLeases(
  database: Queryable,
  leases: readonly DeliveryLease[],
): Promise<void> {
  for (const [accountId, ofAccount] of groupBy(leases, (lease) => lease.accountId)) {
    await database.run(release, valuesOf(accountId, ofAccount));
  }
  await notify(database, deliveryChannel);
}
