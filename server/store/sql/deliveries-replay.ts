/**
 * Sends deliveries again, as if nothing had been tried yet.
 * Why SQL: they are due by the clock of the database, and announced with NOTIFY in the same statement.
 */
import type { DeliveryStatus } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../connection.js';

export interface DeliverySelection {
  accountId: string;
  eventId: string | undefined;
  webhookId: string | undefined;
  /** Only those of these states. */
  statuses: readonly DeliveryStatus[];
}

// The last attempt is forgotten too: a list of webhooks would show it as the state of the webhook.
const replay: Statement = {
  name: 'deliveries_replay',
  text: `
    WITH replayed AS (
      UPDATE deliveries d SET status = 'pending', attempts = 0, next_attempt_at = now(), lease_owner = NULL,
             last_attempt_at = NULL, last_status_code = NULL, last_error = NULL
      FROM webhooks w
      WHERE w.id = d.webhook_id AND w.status = 'enabled' AND w.account_id = $1
        AND ($2::text IS NULL OR d.event_id = $2) AND ($3::text IS NULL OR d.webhook_id = $3)
        AND d.status = ANY ($4::delivery_status[])
      RETURNING 1
    )
    SELECT count(*)::int AS count, pg_notify($5, '') FROM replayed`,
};

/** How many are sent again. Those of disabled webhooks are not. */
export async function replayDeliveries(
  database: Queryable,
  { accountId, eventId, webhookId, statuses }: DeliverySelection,
  channel: string,
): Promise<number> {
  const values = [accountId, eventId ?? null, webhookId ?? null, statuses, channel];
  const [done] = await database.run<{ count: number }>(replay, values);
  return done?.count ?? 0;
}
