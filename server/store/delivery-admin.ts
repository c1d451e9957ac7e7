/** What the operator sees of deliveries and does to them. Every query names the account. */
import type { EventType } from '../../generated/api.js';
import { deliveryChannel } from './record-invocation-sql.js';
import type { Sql, Statement } from './sql.js';

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed';

export interface DeliveryListing {
  eventId: string;
  webhookId: string;
  type: EventType;
  status: DeliveryStatus;
  attempts: number;
  createdAt: Date;
  /** Null if there was none yet. */
  lastAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  /** Of a pending one; of one that is being worked on, when its lease ends. */
  nextAttemptAt: Date;
  isWebhookEnabled: boolean;
}

export interface DeliverySelection {
  accountId: string;
  eventId: string | undefined;
  webhookId: string | undefined;
  /** Only those of these states. */
  statuses: readonly DeliveryStatus[];
}

const selected = `
  w.account_id = $1 AND ($2::text IS NULL OR d.event_id = $2) AND ($3::text IS NULL OR d.webhook_id = $3)
  AND d.status = ANY ($4::delivery_status[])`;

const parameters = ({ accountId, eventId, webhookId, statuses }: DeliverySelection) => [
  accountId,
  eventId ?? null,
  webhookId ?? null,
  statuses,
];

const list: Statement = {
  name: 'deliveries_list',
  text: `
    SELECT d.event_id AS "eventId", d.webhook_id AS "webhookId", e.type, d.status, d.attempts,
           e.created_at AS "createdAt", d.last_attempt_at AS "lastAttemptAt", d.last_status_code AS "lastStatusCode",
           d.last_error AS "lastError", d.next_attempt_at AS "nextAttemptAt",
           w.status = 'enabled' AS "isWebhookEnabled"
    FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id
    WHERE e.account_id = $1 AND ${selected}
    ORDER BY d.event_id DESC, d.webhook_id
    LIMIT $5`,
};

/** Newest first. */
export function listDeliveries(
  sql: Sql,
  selection: DeliverySelection,
  limit: number,
): Promise<DeliveryListing[]> {
  return sql.run<DeliveryListing & Record<string, unknown>>(list, [
    ...parameters(selection),
    limit,
  ]);
}

// As if nothing had been tried yet. That includes the last attempt, which a list of webhooks would show as its state.
const replay: Statement = {
  name: 'deliveries_replay',
  text: `
    WITH replayed AS (
      UPDATE deliveries d SET status = 'pending', attempts = 0, next_attempt_at = now(), lease_owner = NULL,
             last_attempt_at = NULL, last_status_code = NULL, last_error = NULL
      FROM webhooks w
      WHERE w.id = d.webhook_id AND w.status = 'enabled' AND ${selected}
      RETURNING 1
    )
    SELECT count(*)::int AS count, pg_notify('${deliveryChannel}', '') FROM replayed`,
};

/** How many are sent again. */
export async function replayDeliveries(sql: Sql, selection: DeliverySelection): Promise<number> {
  const [done] = await sql.run<{ count: number }>(replay, parameters(selection));
  return done?.count ?? 0;
}

const giveUp: Statement = {
  name: 'deliveries_dead_letter',
  text: `
    WITH given_up AS (
      UPDATE deliveries d SET status = 'failed', lease_owner = NULL, last_error = 'Given up by the operator.'
      FROM webhooks w WHERE w.id = d.webhook_id AND ${selected}
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM given_up`,
};

/** How many are given up. */
export async function giveUpDeliveries(sql: Sql, selection: DeliverySelection): Promise<number> {
  const [done] = await sql.run<{ count: number }>(giveUp, parameters(selection));
  return done?.count ?? 0;
}
