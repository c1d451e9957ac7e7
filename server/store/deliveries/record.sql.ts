/**
 * Records the results of attempts: updates deliveries and webhooks and writes the agents' log, in one transaction.
 * Why SQL: row locks in a fixed order, the database's clock, and a batch in one statement; Prisma has no row locks.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Lease } from './lease.sql.js';
import { countUsage, loggedRows } from '../usage/count.sql.js';

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

/** A webhook is disabled after every attempt has failed for this long. */
const failureWindow = `interval '5 days'`;

// Locks agents, then webhooks, then deliveries: the order in which deleting an agent or a webhook locks them, to avoid a
// deadlock. The agent may have been deleted; then no log entry is written.
const record: Statement = {
  name: 'deliveries_record',
  text: `
    WITH result AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS r (
        "accountId" text, "eventId" text, "webhookId" text, owner text, succeeded boolean, "statusCode" int, error text,
        "retryAfterMs" float8, "isGone" boolean, log jsonb)
    ),
    agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT log ->> 'agentId' FROM result WHERE NOT succeeded)
      ORDER BY id FOR KEY SHARE
    ),
    tally AS (
      SELECT "webhookId", bool_or(succeeded) AS works, coalesce(bool_or("isGone"), false) AS is_gone
      FROM result GROUP BY "webhookId"
    ),
    changing AS MATERIALIZED (
      SELECT w.id, tally.works,
             CASE WHEN tally.is_gone THEN 'The receiver answered 410 Gone.'
                  WHEN NOT tally.works AND w.failing_since <= now() - ${failureWindow}
                    THEN 'Every attempt has failed for five days.' END AS reason
      FROM webhooks w JOIN tally ON tally."webhookId" = w.id
      WHERE w.status = 'enabled' AND (SELECT count(*) FROM agent) >= 0
        AND (tally.is_gone OR tally.works = (w.failing_since IS NOT NULL)
             OR NOT tally.works AND w.failing_since <= now() - ${failureWindow})
      ORDER BY w.id FOR NO KEY UPDATE OF w
    ),
    changed AS (
      UPDATE webhooks w SET
        failing_since = CASE WHEN changing.works THEN NULL ELSE coalesce(w.failing_since, now()) END,
        status = CASE WHEN changing.reason IS NULL THEN w.status ELSE 'disabled' END,
        disabled_reason = changing.reason
      FROM changing WHERE w.id = changing.id
      RETURNING w.id, changing.reason
    ),
    recorded AS (
      UPDATE deliveries d SET
        attempts = d.attempts + 1,
        last_attempt_at = now(),
        last_status_code = result."statusCode",
        last_error = result.error,
        lease_owner = NULL,
        next_attempt_at = now() + coalesce(result."retryAfterMs", 0) * interval '1 ms',
        status = CASE WHEN result.succeeded THEN 'succeeded'
                      WHEN result."retryAfterMs" IS NULL OR changed.reason IS NOT NULL THEN 'failed'
                      ELSE 'pending' END::delivery_status
      FROM result LEFT JOIN changed ON changed.id = result."webhookId"
      WHERE d.account_id = result."accountId" AND d.event_id = result."eventId" AND d.webhook_id = result."webhookId"
        AND d.lease_owner = result.owner AND d.status = 'pending'
      RETURNING result.succeeded, result.log, changed.reason
    ),
    given_up AS (
      UPDATE deliveries d SET status = 'failed', lease_owner = NULL, last_error = 'The webhook was disabled.'
      FROM changed
      WHERE changed.reason IS NOT NULL AND d.webhook_id = changed.id AND d.status = 'pending'
        AND NOT EXISTS (SELECT FROM result WHERE result."eventId" = d.event_id AND result."webhookId" = d.webhook_id)
    ),
    logged AS (
      INSERT INTO log_entries (id, agent_id, logged_at, level, request_id, message, metadata)
      SELECT log ->> 'id', agent.id, date_trunc('milliseconds', now()), 'warn', log ->> 'requestId',
             concat_ws(' ', log ->> 'message', 'The webhook is disabled now: ' || reason), log -> 'metadata'
      FROM recorded JOIN agent ON agent.id = log ->> 'agentId'
      WHERE NOT succeeded
      RETURNING agent_id, logged_at, level
    )
    ${countUsage(loggedRows('logged'))}`,
};

/** Drops results of deliveries whose lease was lost: the new owner records its own. */
export async function recordResults(
  database: Queryable,
  results: readonly AttemptResult[],
): Promise<void> {
  await database.run(record, [JSON.stringify(results)]);
}
