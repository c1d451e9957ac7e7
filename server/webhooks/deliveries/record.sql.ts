/**
 * Records the results of attempts.
 * Why SQL: the database's clock, and a batch in one statement; the queue's partial index is used only for literal states.
 */
import type { Queryable, Statement } from '../../postgres/connection.js';
import type { DeliveryLease } from './lease.sql.js';

export type AttemptResult = SucceededAttemptResult | FailedAttemptResult;

interface SucceededAttemptResult extends DeliveryLease {
  succeeded: true;
  statusCode: number;
}

export interface FailedAttemptResult extends DeliveryLease {
  succeeded: false;
  /** Null if there was no response. */
  statusCode: number | null;
  error: string;
  /** Null: this was the last attempt. */
  retryAfterMs: number | null;
  /** The receiver answered 410 Gone. */
  isGone: boolean;
  /** The delivered event, for the agent's log. */
  event: { agentId: string; requestId: string; type: string };
  /** The number of this attempt. */
  attempt: number;
}

// $1 results, $2 account.
const record: Statement = {
  name: 'deliveries_record',
  text: `
    UPDATE deliveries d SET
      attempts = d.attempts + 1,
      last_attempt_at = now(),
      last_status_code = result."statusCode",
      last_error = result.error,
      lease_owner = NULL,
      next_attempt_at = result.next_attempt_at,
      status = result.status
    FROM (SELECT *, now() + coalesce("retryAfterMs", 0) * interval '1 ms' AS next_attempt_at
            FROM jsonb_to_recordset($1::jsonb) AS r (
                   "eventId" text, "webhookId" text, owner text, status delivery_status, "statusCode" int, error text,
                   "retryAfterMs" float8)) AS result
    WHERE d.account_id = $2 AND d.event_id = result."eventId" AND d.webhook_id = result."webhookId"
      AND d.lease_owner = result.owner AND d.status = 'pending'
    RETURNING d.event_id AS "eventId", d.webhook_id AS "webhookId"`,
};

/** Records results of one account. Returns those whose lease was still held; the new owners of the other leases record their own. */
export async function recordAttempts(
  database: Queryable,
  accountId: string,
  results: readonly AttemptResult[],
): Promise<AttemptResult[]> {
  const rows = results.map(({ eventId, webhookId, owner, statusCode, ...result }) => ({
    eventId,
    webhookId,
    owner,
    statusCode,
    ...(result.succeeded
      ? { status: 'succeeded' }
      : {
          status: result.retryAfterMs === null ? 'failed' : 'pending',
          error: result.error,
          retryAfterMs: result.retryAfterMs,
        }),
  }));
  const recorded = await database.run<{ eventId: string; webhookId: string }>(record, [
    JSON.stringify(rows),
    accountId,
  ]);
  const keys = new Set(recorded.map(({ eventId, webhookId }) => `${eventId} ${webhookId}`));
  return results.filter(({ eventId, webhookId }) => keys.has(`${eventId} ${webhookId}`));
}

// Keeps the error of an earlier attempt, which says more than that the webhook was disabled.
const failPending: Statement = {
  name: 'deliveries_give_up',
  text: `
    UPDATE deliveries SET status = 'failed', lease_owner = NULL, last_error = coalesce(last_error, 'The webhook was disabled.')
     WHERE account_id = $1 AND webhook_id = ANY ($2::text[]) AND status = 'pending'`,
};

/** Marks all pending deliveries of the webhooks as failed. */
export async function failPendingDeliveries(
  database: Queryable,
  accountId: string,
  webhookIds: readonly string[],
): Promise<void> {
  await database.run(failPending, [accountId, webhookIds]);
}
