/**
 * Claims due deliveries, either oldest first or webhook by webhook.
 * Why SQL: SKIP LOCKED, the database's clock, and a rank within each webhook; Prisma supports none of them.
 */
import type { EventType } from '../../../generated/api.js';
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import type { Lease } from './deliveries-renew.js';
import { asyncCommit } from './fragments.js';

export interface DeliveryClaim {
  owner: string;
  leaseMs: number;
  limit: number;
  /** How many deliveries to claim at most, per webhook id. */
  capacities: ReadonlyMap<string, number>;
  /** The same for any other webhook; a failing one gets a single delivery. */
  defaultCapacity: number;
  /** Whether to claim deliveries of webhooks whose last attempt failed. */
  includeFailing: boolean;
  /** Claim webhook by webhook, after this id. Undefined: claim by age. */
  from: string | undefined;
}

export interface DeliveryClaimResult {
  deliveries: ClaimedDelivery[];
  /** How many deliveries, or webhooks, the claim scanned; at most `claimRange`. */
  seen: number;
  lastWebhook: string | null;
}

export interface ClaimedDelivery extends Lease {
  agentId: string;
  requestId: string;
  type: EventType;
  /** Null if it is large; it is then fetched only when needed. */
  body: Buffer | null;
  url: string;
  sealedSecret: Buffer;
  isEnabled: boolean;
  /** Whether the webhook's last attempt failed. */
  isFailing: boolean;
  /** The number of earlier attempts. */
  attempts: number;
  /** In Unix seconds. */
  claimedAt: number;
}

type ClaimRow = Omit<DeliveryClaimResult, 'deliveries'> &
  (Omit<ClaimedDelivery, 'owner'> | { eventId: null });

/** How many due deliveries, or webhooks with pending ones, a claim scans. */
export const claimRange = 500;
const inlineBodyBytes = 65_536;

export async function claimDue(
  database: Database,
  { owner, leaseMs, limit, capacities, defaultCapacity, includeFailing, from }: DeliveryClaim,
): Promise<DeliveryClaimResult> {
  const rows = await database.run<ClaimRow>(from === undefined ? byAge : byWebhook, [
    owner,
    leaseMs,
    limit,
    [...capacities.keys()],
    [...capacities.values()],
    defaultCapacity,
    includeFailing,
    inlineBodyBytes,
    claimRange,
    ...(from === undefined ? [] : [from]),
  ]);
  const deliveries = rows.flatMap((row) => (row.eventId === null ? [] : [{ ...row, owner }]));
  const { seen = 0, lastWebhook = null } = rows[0] ?? {};
  return { deliveries, seen, lastWebhook };
}

// $1 owner, $2 lease in ms, $3 limit, $4 and $5 webhooks and their capacities, $6 default capacity, $7 whether to include
// failing webhooks, $8 largest body to return, $9 how many rows to scan, $10 the webhook to continue after.

const tracked = `SELECT * FROM unnest($4::text[], $5::int[]) AS tracked (webhook_id, capacity)`;

// The scan is bounded, so that the cost of a claim does not grow with the backlog.
const byAge: Statement = claim(
  'deliveries_claim_due',
  `due AS MATERIALIZED (
    SELECT event_id, webhook_id, next_attempt_at FROM deliveries
    WHERE status = 'pending' AND next_attempt_at <= now()
    ORDER BY next_attempt_at LIMIT $9
  ), seen AS (SELECT count(*)::int AS seen, NULL::text AS last_webhook FROM due)`,
);

// A loose index scan: jumps from one webhook to the next, and selects up to the capacity of each.
const byWebhook: Statement = claim(
  'deliveries_claim_page',
  `receiver AS (
    (SELECT webhook_id FROM deliveries WHERE status = 'pending' AND webhook_id > $10 ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT next.webhook_id FROM receiver, LATERAL (
      SELECT webhook_id FROM deliveries
      WHERE status = 'pending' AND webhook_id > receiver.webhook_id ORDER BY webhook_id LIMIT 1
    ) next
  ), page AS MATERIALIZED (SELECT webhook_id FROM receiver LIMIT $9
  ), due AS MATERIALIZED (
    SELECT first.* FROM page LEFT JOIN tracked USING (webhook_id), LATERAL (
      SELECT event_id, webhook_id, next_attempt_at FROM deliveries
      WHERE webhook_id = page.webhook_id AND status = 'pending' AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT coalesce(tracked.capacity, $6)
    ) first
  ), seen AS (SELECT count(*)::int AS seen, max(webhook_id) AS last_webhook FROM page)`,
);

function claim(name: string, due: string): Statement {
  return {
    name,
    // For fairness, the first due delivery of every webhook ranks before the second of any.
    text: `
      WITH RECURSIVE ${asyncCommit},
      tracked AS MATERIALIZED (${tracked}),
      ${due},
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY webhook_id ORDER BY next_attempt_at) AS place FROM due
      ),
      chosen AS MATERIALIZED (
        SELECT d.event_id, d.webhook_id, w.url, w.sealed_secret, w.status = 'enabled' AS is_enabled,
               w.failing_since IS NOT NULL AS is_failing
        FROM ranked
        LEFT JOIN tracked ON tracked.webhook_id = ranked.webhook_id
        JOIN webhooks w ON w.id = ranked.webhook_id
        JOIN deliveries d ON d.event_id = ranked.event_id AND d.webhook_id = ranked.webhook_id
        WHERE d.status = 'pending' AND d.next_attempt_at <= now()
          AND ranked.place <= CASE WHEN w.failing_since IS NULL THEN coalesce(tracked.capacity, $6)
                                   ELSE least(coalesce(tracked.capacity, 1), 1) END
          AND ($7 OR w.failing_since IS NULL)
        ORDER BY ranked.place, ranked.next_attempt_at
        LIMIT $3
        FOR NO KEY UPDATE OF d SKIP LOCKED
      ),
      claimed AS (
        UPDATE deliveries d SET lease_owner = $1, next_attempt_at = now() + $2 * interval '1 ms'
        FROM async_commit, chosen JOIN events e ON e.id = chosen.event_id
        WHERE d.event_id = chosen.event_id AND d.webhook_id = chosen.webhook_id
        RETURNING d.event_id AS "eventId", d.webhook_id AS "webhookId", e.agent_id AS "agentId",
                  e.request_id AS "requestId", e.type,
                  CASE WHEN octet_length(e.body) <= $8 THEN e.body END AS body,
                  chosen.url, chosen.sealed_secret AS "sealedSecret", chosen.is_enabled AS "isEnabled",
                  chosen.is_failing AS "isFailing", d.attempts,
                  floor(extract(epoch FROM now()))::int8::float8 AS "claimedAt"
      )
      SELECT seen.seen, seen.last_webhook AS "lastWebhook", claimed.* FROM seen LEFT JOIN claimed ON true`,
  };
}
