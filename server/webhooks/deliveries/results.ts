/** Records the results of attempts. Results that arrive while a statement is in flight are batched into the next one. */
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../lib/data/typeid.js';
import { currentDate } from '../../lib/time/clock.js';
import { insertLogEntries, type NewLogEntry } from '../../logs/logs.js';
import { batched } from '../../postgres/batched.js';
import type { Queryable, Statement } from '../../postgres/connection.js';
import type { Database } from '../../postgres/database.js';
import type { AttemptResult, FailedAttemptResult } from './attempt.js';
import { applyHealthChange, findHealthChanges, type HealthChange } from './health.js';
import { formatDelay, maxAttempts } from './retry.js';

/** Resolves once the result is recorded or all retries have failed. In the latter case the lease expires and the event is resent. */
type WriteResult = (result: AttemptResult) => Promise<void>;

const retryDelaysMs = [50, 500];

export function createResultWriter(
  database: Database,
  onError: (error: unknown) => void,
): WriteResult {
  const write = batched<AttemptResult, true>(
    async (results) => {
      await recordResults(database, results[0]?.accountId ?? '', results);
      return results.map(() => true);
    },
    { keyOf: ({ accountId }) => accountId },
  );
  return async (result) => {
    for (const delayMs of [...retryDelaysMs, undefined]) {
      try {
        await write(result);
        return;
      } catch (error) {
        onError(error);
        if (delayMs !== undefined) await delay(delayMs);
      }
    }
  };
}

/**
 * Records the results of one account's attempts, and the resulting health changes of its webhooks. The agents' logs get an entry when
 * a webhook starts to fail, a delivery is given up or a webhook is disabled. Other failures are not logged, since a receiver that is
 * down would fill the log of every agent.
 */
async function recordResults(
  database: Database,
  accountId: string,
  results: readonly AttemptResult[],
): Promise<void> {
  const changes = await findHealthChanges(database, accountId, results);
  if (changes.length === 0 && !results.some(isLastFailure)) {
    await recordAttempts(database, accountId, results);
    return;
  }
  await database.transaction(async (transaction) => {
    // Lock webhooks before deliveries: disabling a webhook locks its deliveries, so a transaction must not hold those while it
    // waits for the webhook.
    const entries: NewLogEntry[] = [];
    for (const change of changes) {
      // Otherwise a concurrent transaction has made the change, and logs it.
      const isFirst = await applyHealthChange(transaction, accountId, change);
      if (isFirst && change.kind !== 'recovered') entries.push(changeEntry(change));
    }
    const recorded = await recordAttempts(transaction, accountId, results);
    const disabled = changes.flatMap((one) => (one.kind === 'disabled' ? one.webhook.id : []));
    if (disabled.length > 0) await failPendingDeliveries(transaction, accountId, disabled);
    const givenUp = recorded
      .filter(isLastFailure)
      .filter(({ webhookId }) => !disabled.includes(webhookId));
    await insertLogEntries(transaction, [...entries, ...givenUp.map(givenUpEntry)]);
  });
}

function isLastFailure(result: AttemptResult): result is FailedAttemptResult {
  return !result.succeeded && result.retryAfterMs === null;
}

// SQL because of the database's clock, a batch in one statement, and the queue's partial index, which is used only for literal states.
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
async function recordAttempts(
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

// SQL because of that index. Keeps the error of an earlier attempt, which says more than that the webhook was disabled.
const failPending: Statement = {
  name: 'deliveries_give_up',
  text: `
    UPDATE deliveries SET status = 'failed', lease_owner = NULL, last_error = coalesce(last_error, 'The webhook was disabled.')
     WHERE account_id = $1 AND webhook_id = ANY ($2::text[]) AND status = 'pending'`,
};

/** Marks all pending deliveries of the webhooks as failed. */
async function failPendingDeliveries(
  database: Queryable,
  accountId: string,
  webhookIds: readonly string[],
): Promise<void> {
  await database.run(failPending, [accountId, webhookIds]);
}

function changeEntry(change: Exclude<HealthChange, { kind: 'recovered' }>): NewLogEntry {
  const { webhookId, error, event, attempt, retryAfterMs } = change.cause;
  if (change.kind === 'disabled') {
    return entryOf(
      change.cause,
      `Webhook ${webhookId} is disabled, and its pending deliveries are given up. ${change.reason}`,
    );
  }
  const next = retryAfterMs === null ? '' : ` The next one is in ${formatDelay(retryAfterMs)}.`;
  return entryOf(
    change.cause,
    `Webhook ${webhookId} starts to fail. ${error} This was attempt ${attempt} of ${maxAttempts} to deliver ${event.type}.${next}`,
  );
}

function givenUpEntry(result: FailedAttemptResult): NewLogEntry {
  const { webhookId, error, event, attempt } = result;
  return entryOf(
    result,
    `The delivery of ${event.type} to webhook ${webhookId} is given up after ${attempt} attempts. ${error}`,
  );
}

function entryOf(
  { accountId, webhookId, eventId, event, attempt, statusCode }: FailedAttemptResult,
  message: string,
): NewLogEntry {
  return {
    id: newId('log'),
    accountId,
    agentId: event.agentId,
    requestId: event.requestId,
    at: currentDate(),
    level: 'warn',
    message,
    metadata: {
      webhook_id: webhookId,
      event_id: eventId,
      event: event.type,
      attempt,
      status_code: statusCode,
    },
  };
}
