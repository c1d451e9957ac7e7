/** What the operator sees of deliveries and does to them. Every query names the account. */
import type { Prisma } from '../../generated/prisma/client.js';
import { DeliveryStatus } from '../../generated/prisma/enums.js';
import type { Connection, Queryable } from './connection.js';
import { deliveryChannel } from './deliveries.js';
import { type DeliverySelection, replayDeliveries as replay } from './sql/deliveries-replay.js';

export { type DeliverySelection, DeliveryStatus };

export interface DeliveryListing {
  eventId: string;
  webhookId: string;
  type: string;
  status: DeliveryStatus;
  attempts: number;
  createdAt: Date;
  /** Null if there was none yet. */
  lastAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  /** Of a pending one; of one that is being worked on, when its lease ends. */
  nextAttemptAt: Date;
  isWebhookEnabled: boolean;
}

/** Newest first. */
export async function listDeliveries(
  { prisma }: Connection,
  selection: DeliverySelection,
  limit: number,
): Promise<DeliveryListing[]> {
  const deliveries = await prisma.delivery.findMany({
    // Named twice, since the index of the account's events leads to them in their order.
    where: { ...selected(selection), event: { accountId: selection.accountId } },
    include: {
      event: { select: { type: true, createdAt: true } },
      webhook: { select: { status: true } },
    },
    orderBy: [{ eventId: 'desc' }, { webhookId: 'asc' }],
    take: limit,
  });
  return deliveries.map(({ event, webhook, ...delivery }) => ({
    ...delivery,
    ...event,
    isWebhookEnabled: webhook.status === 'enabled',
  }));
}

/** How many are sent again. */
export function replayDeliveries(
  database: Queryable,
  selection: DeliverySelection,
): Promise<number> {
  return replay(database, selection, deliveryChannel);
}

/** How many are given up. */
export async function giveUpDeliveries(
  { prisma }: Connection,
  selection: DeliverySelection,
): Promise<number> {
  const { count } = await prisma.delivery.updateMany({
    where: selected(selection),
    data: { status: 'failed', leaseOwner: null, lastError: 'Given up by the operator.' },
  });
  return count;
}

function selected({ accountId, eventId, webhookId, statuses }: DeliverySelection) {
  return {
    webhook: { accountId },
    ...(eventId === undefined ? {} : { eventId }),
    ...(webhookId === undefined ? {} : { webhookId }),
    status: { in: [...statuses] },
  } satisfies Prisma.DeliveryWhereInput;
}
