/** Lists deliveries, replays them and gives them up, which only the operator does. Every query filters by account. */
import { constraints } from '../../../generated/constraints.js';
import type { Prisma } from '../../../generated/prisma/client.js';
import type { DeliveryStatus, WebhookStatus } from '../../../generated/prisma/enums.js';
import type { Caller } from '../../accounts/caller.js';
import { notFound, ServiceError } from '../../contract/errors.js';
import type { Connection, Statement } from '../../postgres/connection.js';
import { notify } from '../../postgres/notify.sql.js';
import { deliveryChannel } from './queue.sql.js';

export const deliveryStatuses = constraints.WebhookDelivery.properties.status.enum;

/** Selects the deliveries of an event, to a webhook, or both. */
export interface DeliverySelector {
  event: string | undefined;
  webhook: string | undefined;
}

interface DeliverySelection extends DeliverySelector {
  statuses: readonly DeliveryStatus[];
}

interface DeliveryFilter extends DeliverySelection {
  limit: number;
}

export interface DeliveryListing {
  eventId: string;
  webhookId: string;
  type: string;
  status: DeliveryStatus;
  attempts: number;
  createdAt: Date;
  /** Null before the first attempt. */
  lastAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  /** Meaningful while pending; for a claimed delivery, when its lease expires. */
  nextAttemptAt: Date;
  isWebhookEnabled: boolean;
}

type Account = Pick<Caller, 'accountId'>;

/** Newest first. */
export async function listDeliveries(
  { prisma }: Connection,
  { accountId }: Account,
  { limit, ...selection }: DeliveryFilter,
): Promise<DeliveryListing[]> {
  const webhooks = await webhooksOf(prisma, accountId, selection);
  const deliveries = await prisma.delivery.findMany({
    where: selected(accountId, selection, webhooks),
    orderBy: [{ eventId: 'desc' }, { webhookId: 'asc' }],
    take: limit,
  });
  const events = await prisma.event.findMany({
    where: { accountId, id: { in: [...new Set(deliveries.map(({ eventId }) => eventId))] } },
    select: { id: true, type: true, createdAt: true },
  });
  const byId = new Map(events.map(({ id, ...event }) => [id, event]));
  return deliveries.flatMap((delivery) => {
    const event = byId.get(delivery.eventId);
    const isWebhookEnabled = webhooks.get(delivery.webhookId) === 'enabled';
    return event ? { ...delivery, ...event, isWebhookEnabled } : [];
  });
}

// SQL because deliveries become due by the database's clock, which Prisma cannot write.
// Also clears the last attempt, which the list of webhooks would otherwise show as the webhook's last delivery.
const reset: Statement = {
  name: 'deliveries_reset',
  text: `
    WITH reset AS (
      UPDATE deliveries d SET status = 'pending', attempts = 0, next_attempt_at = now(), lease_owner = NULL,
             last_attempt_at = NULL, last_status_code = NULL, last_error = NULL
      FROM webhooks w
      WHERE w.id = d.webhook_id AND w.status = 'enabled' AND w.account_id = $1 AND d.account_id = $1
        AND ($2::text IS NULL OR d.event_id = $2) AND ($3::text IS NULL OR d.webhook_id = $3)
        AND d.status = ANY ($4::delivery_status[])
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM reset`,
};

/**
 * Replays an event to all receivers whose deliveries have ended, or without an event, all failed deliveries of the webhook. Makes the
 * deliveries pending with no attempts, except to disabled webhooks, and announces them. Returns their number.
 */
export async function replayDeliveries(
  database: Connection,
  { accountId }: Account,
  selector: DeliverySelector,
): Promise<number> {
  const { event, webhook } = selector;
  const statuses = event === undefined ? (['failed'] as const) : (['succeeded', 'failed'] as const);
  const values = [accountId, event ?? null, webhook ?? null, statuses];
  const [replayed] = await database.run<{ count: number }>(reset, values);
  await notify(database, deliveryChannel);
  if (replayed && replayed.count > 0) return replayed.count;
  const [remaining] = await listDeliveries(
    database,
    { accountId },
    { ...selector, statuses, limit: 1 },
  );
  if (remaining) {
    throw new ServiceError(
      'conflict',
      `Webhook ${remaining.webhookId} is disabled, so nothing can be sent to it. Create a new webhook first.`,
    );
  }
  throw noDelivery(selector, 'has ended and can be sent again');
}

/** Marks pending deliveries as failed, and returns their number. The result of an attempt in progress is discarded. */
export async function giveUpDeliveries(
  { prisma }: Connection,
  { accountId }: Account,
  selector: DeliverySelector,
): Promise<number> {
  const selection = { ...selector, statuses: ['pending'] } as const;
  const { count } = await prisma.delivery.updateMany({
    where: selected(accountId, selection, await webhooksOf(prisma, accountId, selection)),
    data: { status: 'failed', leaseOwner: null, lastError: 'Given up by the operator.' },
  });
  if (count === 0) throw noDelivery(selector, 'is still pending');
  return count;
}

/** Deliveries of a deleted webhook are not selected. */
async function webhooksOf(
  prisma: Connection['prisma'],
  accountId: string,
  { webhook: id }: DeliverySelector,
): Promise<Map<string, WebhookStatus>> {
  const webhooks = await prisma.webhook.findMany({
    where: { accountId, ...(id === undefined ? {} : { id }) },
    select: { id: true, status: true },
  });
  return new Map(webhooks.map(({ id, status }) => [id, status]));
}

function selected(
  accountId: string,
  { event, statuses }: DeliverySelection,
  webhooks: ReadonlyMap<string, WebhookStatus>,
) {
  return {
    accountId,
    webhookId: { in: [...webhooks.keys()] },
    ...(event === undefined ? {} : { eventId: event }),
    status: { in: [...statuses] },
  } satisfies Prisma.DeliveryWhereInput;
}

function noDelivery({ event, webhook }: DeliverySelector, state: string): ServiceError {
  const of = event === undefined ? '' : ` of event '${event}'`;
  const to = webhook === undefined ? '' : ` to webhook '${webhook}'`;
  return notFound(`delivery${of}${to} that ${state}`);
}
