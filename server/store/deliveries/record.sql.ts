/**
 * Records the results of attempts.
 * Why SQL: the database's clock, and a batch in one statement; the partial index of the queue serves literal states only.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Lease } from './lease.sql.js';

export type AttemptResult = Lease & (SucceededAttemptResult | FailedAttemptResult);

interface SucceededAttemptResult {
  succeeded: true;
  statusCode: number;
}

interface FailedAttemptResult {
  succeeded: false;
  statusCode: number | null;
  error: string;
  /** Null: this was the last attempt. */
  retryAfterMs: number | null;
  /** The receiver answered 410 Gone. */
  isGone: boolean;
  log: FailureLog;
}

export interface FailureLog {
  id: string;
  agentId: string;
  requestId: string;
  message: string;
  metadata: Record<string, unknown>;
}

/** Why webhooks were disabled, by their ids. */
export type DisabledWebhooks = ReadonlyMap<string, string>;

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
  disabled: DisabledWebhooks,
): Promise<AttemptResult[]> {
  const rows = results.map(({ eventId, webhookId, owner, statusCode, ...result }) => {
    const isOver = result.succeeded || result.retryAfterMs === null || disabled.has(webhookId);
    const [status, failure] = result.succeeded
      ? (['succeeded', {}] as const)
      : ([isOver ? 'failed' : 'pending', result] as const);
    const { error, retryAfterMs }: { error?: string; retryAfterMs?: number | null } = failure;
    return { eventId, webhookId, owner, statusCode, status, error, retryAfterMs };
  });
  const recorded = await database.run<{ eventId: string; webhookId: string }>(record, [
    JSON.stringify(rows),
    accountId,
  ]);
  const keys = new Set(recorded.map(({ eventId, webhookId }) => `${eventId} ${webhookId}`));
  return results.filter(({ eventId, webhookId }) => keys.has(`${eventId} ${webhookId}`));
}

const giveUp: Statement = {
  name: 'deliveries_give_up',
  text: `
    UPDATE deliveries SET status = 'failed', lease_owner = NULL, last_error = 'The webhook was disabled.'
     WHERE account_id = $1 AND webhook_id = ANY ($2::text[]) AND status = 'pending'`,
};

/** Those that the webhooks have yet to receive. */
export async function giveUpPending(
  database: Queryable,
  accountId: string,
  disabled: DisabledWebhooks,
): Promise<void> {
  await database.run(giveUp, [accountId, [...disabled.keys()]]);
}
