/** Queries of deliveries for the operator's commands. Every query filters by account. */
import type { Prisma } from '../../../generated/prisma/client.js';
import { DeliveryStatus, type WebhookStatus } from '../../../generated/prisma/enums.js';
import type { Connection, Queryable, Statement } from '../../postgres/connection.js';
import { notify } from '../../postgres/notify.sql.js';
import { deliveryChannel } from './delivery-rows.js';

export { DeliveryStatus };

export interface DeliverySelection {
  accountId: string;
  eventId: string | undefined;
  webhookId: string | undefined;
  statuses: readonly DeliveryStatus[];
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

/** Newest first. */
export async function listDeliveries(
  { prisma }: Connection,
  selection: DeliverySelection,
  limit: number,
): Promise<DeliveryListing[]> {
  const webhooks = await webhooksOf(prisma, selection);
  const deliveries = await prisma.delivery.findMany({
    where: selected(selection, webhooks),
    orderBy: [{ eventId: 'desc' }, { webhookId: 'asc' }],
    take: limit,
  });
  const events = await prisma.event.findMany({
    where: {
      accountId: selection.accountId,
      id: { in: [...new Set(deliveries.map(({ eventId }) => eventId))] },
    },
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

/** Makes deliveries pending with no attempts, except to disabled webhooks, and announces them. Returns their number. */
export async function resetDeliveries(
  database: Queryable,
  { accountId, eventId, webhookId, statuses }: DeliverySelection,
): Promise<number> {
  const values = [accountId, eventId ?? null, webhookId ?? null, statuses];
  const [done] = await database.run<{ count: number }>(reset, values);
  await notify(database, deliveryChannel);
  return done?.count ?? 0;
}

/** Returns the number of deliveries given up. */
export async function giveUpDeliveries(
  { prisma }: Connection,
  selection: DeliverySelection,
): Promise<number> {
  const { count } = await prisma.delivery.updateMany({
    where: selected(selection, await webhooksOf(prisma, selection)),
    data: { status: 'failed', leaseOwner: null, lastError: 'Given up by the operator.' },
  });
  return count;
}

/** Deliveries of a deleted webhook are not selected. */
async function webhooksOf(
  { webhook }: Connection['prisma'],
  { accountId, webhookId }: DeliverySelection,
): Promise<Map<string, WebhookStatus>> {
  const webhooks = await webhook.findMany({
    where: { accountId, ...(webhookId === undefined ? {} : { id: webhookId }) },
    select: { id: true, status: true },
  });
  return new Map(webhooks.map(({ id, status }) => [id, status]));
}

function selected(
  { accountId, eventId, statuses }: DeliverySelection,
  webhooks: ReadonlyMap<string, WebhookStatus>,
) {
  return {
    accountId,
    webhookId: { in: [...webhooks.keys()] },
    ...(eventId === undefined ? {} : { eventId }),
    status: { in: [...statuses] },
  } satisfies Prisma.DeliveryWhereInput;
}
