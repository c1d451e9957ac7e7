/**
 * Reads the last delivery of each given webhook.
 * Why SQL: one index lookup per webhook (LATERAL); Prisma would load every delivery of every webhook.
 */
import type { DeliveryStatus } from '../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../postgres/connection.js';

export interface LastDelivery {
  status: DeliveryStatus;
  attempts: number;
  at: Date;
  /** Null if the receiver did not answer. */
  responseCode: number | null;
  error: string | null;
  /** Null if no attempt is scheduled, or one is running. */
  nextAttemptAt: Date | null;
}

const last: Statement = {
  name: 'deliveries_last',
  text: `
    SELECT w.id AS "webhookId", last.status, last.attempts, last.last_attempt_at AS at,
           last.last_status_code AS "responseCode", last.last_error AS error,
           CASE WHEN last.status = 'pending' AND last.lease_owner IS NULL THEN last.next_attempt_at END AS "nextAttemptAt"
      FROM unnest($2::text[]) AS w (id)
     CROSS JOIN LATERAL (
       SELECT * FROM deliveries
        WHERE account_id = $1 AND webhook_id = w.id AND last_attempt_at IS NOT NULL
        ORDER BY last_attempt_at DESC LIMIT 1
     ) AS last`,
};

/** Keyed by webhook id; webhooks without an attempt are left out. */
export async function findLastDeliveries(
  database: Queryable,
  accountId: string,
  webhookIds: readonly string[],
): Promise<Map<string, LastDelivery>> {
  const rows = await database.run<LastDelivery & { webhookId: string }>(last, [
    accountId,
    webhookIds,
  ]);
  return new Map(rows.map(({ webhookId, ...delivery }) => [webhookId, delivery]));
}
