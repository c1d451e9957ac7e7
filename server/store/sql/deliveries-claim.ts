/**
 * Claims due deliveries, either oldest first or webhook by webhook, in fair shares by account.
 * Why SQL: SKIP LOCKED, the database's clock, and ranks within webhook, host and account; Prisma supports none of them.
 */
import type { EventType } from '../../../generated/api.js';
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import type { Lease } from './deliveries-lease.js';
import { asyncCommit, fairShare } from './fragments.js';

export interface DeliveryClaim {
  owner: string;
  leaseMs: number;
  limit: number;
  /** How many deliveries to claim at most, per webhook id. */
  capacities: ReadonlyMap<string, number>;
  /** The same for any other webhook; a failing one gets a single delivery. */
  defaultCapacity: number;
  /** How many deliveries to claim at most, per receiving host, and for any other host. */
  hostCapacities: ReadonlyMap<string, number>;
  defaultHostCapacity: number;
  /** How many slots each account holds, and how many are free: an account may hold as many as are left. */
  held: ReadonlyMap<string, number>;
  free: number;
  /** Whether to claim deliveries of webhooks whose last attempt failed, and of which accounts not. */
  includeFailing: boolean;
  excludeFailingOf: readonly string[];
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
  host: string;
  agentId: string;
  requestId: string;
  /** The trace that the delivery continues; null if it is not traced. */
  traceContext: string | null;
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
  claim: DeliveryClaim,
): Promise<DeliveryClaimResult> {
  const { owner, capacities, hostCapacities, held, from } = claim;
  const rows = await database.run<ClaimRow>(from === undefined ? byAge : byWebhook, [
    owner,
    claim.leaseMs,
    claim.limit,
    [...capacities.keys()],
    [...capacities.values()],
    claim.defaultCapacity,
    claim.includeFailing,
    inlineBodyBytes,
    claimRange,
    [...hostCapacities.keys()],
    [...hostCapacities.values()],
    claim.defaultHostCapacity,
    [...held.keys()],
    [...held.values()],
    claim.free,
    claim.excludeFailingOf,
    ...(from === undefined ? [] : [from]),
  ]);
  const deliveries = rows.flatMap((row) => (row.eventId === null ? [] : [{ ...row, owner }]));
  const { seen = 0, lastWebhook = null } = rows[0] ?? {};
  return { deliveries, seen, lastWebhook };
}

// $1 owner, $2 lease in ms, $3 limit, $4 and $5 webhooks and their capacities, $6 default capacity, $7 whether to include
// failing webhooks, $8 largest body to return, $9 how many rows to scan, $10 and $11 hosts and their capacities, $12 default
// capacity of a host, $13 and $14 accounts and the slots they hold, $15 free slots, $16 accounts whose failing webhooks must
// wait, $17 the webhook to continue after.

const tracked = `
  tracked AS MATERIALIZED (SELECT * FROM unnest($4::text[], $5::int[]) AS t (webhook_id, capacity)),
  tracked_host AS MATERIALIZED (SELECT * FROM unnest($10::text[], $11::int[]) AS t (host, capacity)),
  holder AS MATERIALIZED (SELECT * FROM unnest($13::text[], $14::int[]) AS t (account_id, held))`;

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
    (SELECT webhook_id FROM deliveries WHERE status = 'pending' AND webhook_id > $17 ORDER BY webhook_id LIMIT 1)
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
    // For fairness, the first due delivery of every account ranks before the second of any, and so it does for webhooks
    // within an account or a host.
    text: `
      WITH RECURSIVE ${asyncCommit},
      ${tracked},
      ${due},
      of_webhook AS (
        SELECT due.*, w.account_id, coalesce(w.host, w.id) AS host, w.failing_since IS NOT NULL AS is_failing,
               row_number() OVER (PARTITION BY webhook_id ORDER BY next_attempt_at) AS place
        FROM due JOIN webhooks w ON w.id = due.webhook_id
      ),
      startable AS (
        SELECT of_webhook.*,
               row_number() OVER (PARTITION BY account_id ORDER BY place, next_attempt_at) AS account_rank
        FROM of_webhook LEFT JOIN tracked USING (webhook_id)
        WHERE place <= CASE WHEN is_failing THEN least(coalesce(tracked.capacity, 1), 1)
                            ELSE coalesce(tracked.capacity, $6) END
          AND (NOT is_failing OR $7 AND account_id <> ALL ($16::text[]))
      ),
      of_host AS (
        SELECT *, row_number() OVER (PARTITION BY host ORDER BY account_rank, next_attempt_at) AS host_place
        FROM startable
      ),
      of_account AS (
        SELECT of_host.*, coalesce(held, 0) + row_number() OVER (
                 PARTITION BY account_id ORDER BY account_rank) AS account_place
        FROM of_host LEFT JOIN tracked_host USING (host) LEFT JOIN holder USING (account_id)
        WHERE host_place <= coalesce(tracked_host.capacity, $12)
      ),
      ${fairShare('of_account', 'next_attempt_at', '$15')},
      chosen AS MATERIALIZED (
        SELECT d.event_id, d.webhook_id, fair.account_id, fair.host, fair.is_failing, w.url, w.sealed_secret,
               w.status = 'enabled' AS is_enabled
        FROM fair
        JOIN webhooks w ON w.id = fair.webhook_id
        JOIN deliveries d ON d.account_id = fair.account_id AND d.event_id = fair.event_id AND d.webhook_id = fair.webhook_id
        WHERE d.status = 'pending' AND d.next_attempt_at <= now()
        ORDER BY fair.turn
        LIMIT $3
        FOR NO KEY UPDATE OF d SKIP LOCKED
      ),
      claimed AS (
        UPDATE deliveries d SET lease_owner = $1, next_attempt_at = now() + $2 * interval '1 ms'
        FROM async_commit, chosen JOIN events e ON e.account_id = chosen.account_id AND e.id = chosen.event_id
        WHERE d.account_id = chosen.account_id AND d.event_id = chosen.event_id AND d.webhook_id = chosen.webhook_id
        RETURNING d.event_id AS "eventId", d.webhook_id AS "webhookId", chosen.account_id AS "accountId",
                  chosen.host, e.agent_id AS "agentId",
                  e.request_id AS "requestId", e.trace_context AS "traceContext", e.type,
                  CASE WHEN octet_length(e.body) <= $8 THEN e.body END AS body,
                  chosen.url, chosen.sealed_secret AS "sealedSecret", chosen.is_enabled AS "isEnabled",
                  chosen.is_failing AS "isFailing", d.attempts,
                  floor(extract(epoch FROM now()))::int8::float8 AS "claimedAt"
      )
      SELECT seen.seen, seen.last_webhook AS "lastWebhook", claimed.* FROM seen LEFT JOIN claimed ON true`,
  };
}
