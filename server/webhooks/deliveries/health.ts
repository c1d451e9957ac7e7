/** A webhook's health: when it starts to fail, recovers, or must be disabled, as the results of attempts show. */
import { groupBy } from '../../lib/data/group-by.js';
import { currentDate, currentTime } from '../../lib/time/clock.js';
import type { Connection, Transaction } from '../../postgres/connection.js';
import type { AttemptResult, FailedAttemptResult } from './attempt.js';

export type HealthChange =
  | { kind: 'recovered'; webhook: WebhookHealth }
  | { kind: 'failing'; webhook: WebhookHealth; cause: FailedAttemptResult }
  | { kind: 'disabled'; webhook: WebhookHealth; cause: FailedAttemptResult; reason: string };

interface WebhookHealth {
  id: string;
  /** Null if the last attempt succeeded. */
  failingSince: Date | null;
}

/** A webhook is disabled after every attempt has failed for this long. */
const maxFailingMs = 5 * 86_400_000;

/** Finds what the results of one account change. Returns transitions only, so that hardly any result writes to a webhook. */
export async function findHealthChanges(
  { prisma }: Connection,
  accountId: string,
  results: readonly AttemptResult[],
): Promise<HealthChange[]> {
  const byWebhook = groupBy(results, ({ webhookId }) => webhookId);
  const webhooks = await prisma.webhook.findMany({
    where: { accountId, id: { in: [...byWebhook.keys()] }, status: 'enabled' },
    select: { id: true, failingSince: true },
  });
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

/** Returns false and changes nothing if another transaction has changed the health since it was read, or has deleted the webhook. */
export async function applyHealthChange(
  { prisma }: Transaction,
  accountId: string,
  change: HealthChange,
): Promise<boolean> {
  const { id, failingSince } = change.webhook;
  const enabled = { accountId, id, status: 'enabled' } as const;
  const { count } =
    change.kind === 'disabled'
      ? await prisma.webhook.updateMany({
          where: enabled,
          data: { status: 'disabled', disabledReason: change.reason },
        })
      : await prisma.webhook.updateMany({
          where: { ...enabled, failingSince },
          data: { failingSince: change.kind === 'failing' ? currentDate() : null },
        });
  return count > 0;
}
