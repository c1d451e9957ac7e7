/** Derives a webhook's health from the results of attempts: when it starts to fail, recovers, or must be disabled. */
import { groupBy } from '../../lib/data/group-by.js';
import { currentTime } from '../../lib/time/clock.js';
import type { AttemptResult, FailedAttemptResult } from './delivery-rows.js';
import type { WebhookHealth } from '../health.js';

export type HealthChange =
  | { kind: 'recovered'; webhook: WebhookHealth }
  | { kind: 'failing'; webhook: WebhookHealth; cause: FailedAttemptResult }
  | { kind: 'disabled'; webhook: WebhookHealth; cause: FailedAttemptResult; reason: string };

/** A webhook is disabled after every attempt has failed for this long. */
const maxFailingMs = 5 * 86_400_000;

/** Returns transitions only, so that hardly any result writes to a webhook. */
export function healthChanges(
  webhooks: readonly WebhookHealth[],
  results: readonly AttemptResult[],
): HealthChange[] {
  const byWebhook = groupBy(results, ({ webhookId }) => webhookId);
  return webhooks.flatMap((webhook) => changeOf(webhook, byWebhook.get(webhook.id) ?? []) ?? []);
}

function changeOf(
  webhook: WebhookHealth,
  results: readonly AttemptResult[],
): HealthChange | undefined {
  const failures = results.flatMap((result) => (result.succeeded ? [] : result));
  const gone = failures.find(({ isGone }) => isGone);
  if (gone) {
    return { kind: 'disabled', webhook, cause: gone, reason: 'The receiver answered 410 Gone.' };
  }
  const { failingSince } = webhook;
  const [cause] = failures;
  if (!cause || failures.length < results.length) {
    return failingSince ? { kind: 'recovered', webhook } : undefined;
  }
  if (!failingSince) return { kind: 'failing', webhook, cause };
  return currentTime() - failingSince.getTime() >= maxFailingMs
    ? { kind: 'disabled', webhook, cause, reason: 'Every attempt has failed for five days.' }
    : undefined;
}
