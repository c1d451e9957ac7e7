/** Records the results of attempts. Results that arrive while a statement is in flight are batched into the next one. */
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../lib/data/typeid.js';
import { currentDate } from '../../lib/time/clock.js';
import {
  type AttemptResult,
  type FailedAttemptResult,
  failPendingDeliveries,
  recordAttempts,
} from './delivery-rows.js';
import { insertLogEntries, type NewLogEntry } from '../../logs/entries.js';
import { batched } from '../../postgres/batched.js';
import type { Database, Transaction } from '../../postgres/database.js';
import { changeFailingSince, disableWebhook, readHealth } from '../health.js';
import { type HealthChange, healthChanges } from './health.js';
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
  const webhookIds = [...new Set(results.map(({ webhookId }) => webhookId))];
  const changes = healthChanges(await readHealth(database, accountId, webhookIds), results);
  if (changes.length === 0 && !results.some(isLastFailure)) {
    await recordAttempts(database, accountId, results);
    return;
  }
  await database.transaction(async (transaction) => {
    // Lock webhooks before deliveries: disabling a webhook locks its deliveries, so a transaction must not hold those while it
    // waits for the webhook.
    const entries = await applyChanges(transaction, accountId, changes);
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

/** Returns log entries for the changes that no concurrent transaction has made already. */
async function applyChanges(
  transaction: Transaction,
  accountId: string,
  changes: readonly HealthChange[],
): Promise<NewLogEntry[]> {
  const entries: NewLogEntry[] = [];
  for (const change of changes) {
    const { kind, webhook } = change;
    if (kind === 'recovered') {
      await changeFailingSince(transaction, accountId, webhook, null);
    } else if (kind === 'failing') {
      const isFirst = await changeFailingSince(transaction, accountId, webhook, currentDate());
      if (isFirst) entries.push(failingEntry(change.cause));
    } else {
      const isFirst = await disableWebhook(transaction, accountId, webhook.id, change.reason);
      if (isFirst) entries.push(disabledEntry(change.cause, change.reason));
    }
  }
  return entries;
}

function failingEntry(result: FailedAttemptResult): NewLogEntry {
  const { webhookId, error, event, attempt, retryAfterMs } = result;
  const next = retryAfterMs === null ? '' : ` The next one is in ${formatDelay(retryAfterMs)}.`;
  return entryOf(
    result,
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

function disabledEntry(result: FailedAttemptResult, reason: string): NewLogEntry {
  return entryOf(
    result,
    `Webhook ${result.webhookId} is disabled, and its pending deliveries are given up. ${reason}`,
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
