/**
 * Records the results of attempts.
 * Why SQL: the database's clock, and a batch in one statement; the partial index of the queue serves literal states only.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Lease } from './lease.sql.js';

export type AttemptResult = SucceededAttemptResult | FailedAttemptResult;

interface SucceededAttemptResult extends Lease {
  succeeded: true;
  statusCode: number;
}

export interface FailedAttemptResult extends Lease {
  succeeded: false;
  /** Null if there was no response. */
  statusCode: number | null;
  error: string;
  /** Null: this was the last attempt. */
  retryAfterMs: number | null;
  /** The receiver answered 410 Gone. */
  isGone: boolean;
  /** What is delivered, for the agent's log. */
  event: { agentId: string; requestId: string; type: string };
  /** The number of this attempt. */
  attempt: number;
}

// $1 the results, $2 their account.
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

/** All of one account. Returns those of deliveries whose lease was still held: for others the new owner records its own. */
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

// An attempt that was made says more than that no other will follow.
const giveUp: Statement = {
  name: 'deliveries_give_up',
  text: `
    UPDATE deliveries SET status = 'failed', lease_owner = NULL, last_error = coalesce(last_error, 'The webhook was disabled.')
     WHERE account_id = $1 AND webhook_id = ANY ($2::text[]) AND status = 'pending'`,
};

/** Gives up what the webhooks have yet to receive. */
export async function giveUpPending(
  database: Queryable,
  accountId: string,
  webhookIds: readonly string[],
): Promise<void> {
  await database.run(giveUp, [accountId, webhookIds]);
}
