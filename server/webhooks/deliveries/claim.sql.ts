/**
 * The delivery queue: finds webhooks that have due deliveries, and claims due deliveries account by account.
 * Why SQL: SKIP LOCKED and the database's clock; Prisma supports neither.
 */
import type { EventType } from '../../../generated/api.js';
import type { Queryable, Statement } from '../../postgres/connection.js';
import type { Database } from '../../postgres/database.js';
import type { DeliveryLease } from './lease.sql.js';
import { asyncCommit } from '../../postgres/fragments.sql.js';
import { leaseEnd } from '../../postgres/lease.sql.js';

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
