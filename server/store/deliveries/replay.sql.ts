/**
 * Resets deliveries to pending with no attempts, so that they are sent again.
 * Why SQL: deliveries become due by the database's clock, which Prisma cannot write.
 */
import type { DeliveryStatus } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../postgres/connection.js';

export interface DeliverySelection {
  accountId: string;
  eventId: string | undefined;
  webhookId: string | undefined;
  statuses: readonly DeliveryStatus[];
}

// Also clears the last attempt, which the list of webhooks would otherwise show as the webhook's last delivery.
const replay: Statement = {
  name: 'deliveries_replay',
  text: `
    WITH replayed AS (
      UPDATE deliveries d SET status = 'pending', attempts = 0, next_attempt_at = now(), lease_owner = NULL,
             last_attempt_at = NULL, last_status_code = NULL, last_error = NULL
      FROM webhooks w
      WHERE w.id = d.webhook_id AND w.status = 'enabled' AND w.account_id = $1 AND d.account_id = $1
        AND ($2::text IS NULL OR d.event_id = $2) AND ($3::text IS NULL OR d.webhook_id = $3)
        AND d.status = ANY ($4::delivery_status[])
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM replayed`,
};

/** Returns the number of deliveries reset. Skips those of disabled webhooks. */
export async function replayDeliveries(
  database: Queryable,
  { accountId, eventId, webhookId, statuses }: DeliverySelection,
): Promise<number> {
  const values = [accountId, eventId ?? null, webhookId ?? null, statuses];
  const [replayed] = await database.run<{ count: number }>(replay, values);
  return replayed?.count ?? 0;
}
