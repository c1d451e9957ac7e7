/** Queries of deliveries for the operator's commands. Every query filters by account. */
import type { Prisma } from '../../../generated/prisma/client.js';
import { DeliveryStatus, type WebhookStatus } from '../../../generated/prisma/enums.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { notify } from '../postgres/notify.sql.js';
import { deliveryChannel } from './deliveries.js';
import { type DeliverySelection, replayDeliveries as replay } from './replay.sql.js';

export { type DeliverySelection, DeliveryStatus };

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

/** Sends deliveries again. Returns their number. */
export async function replayDeliveries(
  database: Queryable,
  selection: DeliverySelection,
): Promise<number> {
  const count = await replay(database, selection);
  await notify(database, deliveryChannel);
  return count;
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
