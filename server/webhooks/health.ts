/** Queries of webhook health: since when every attempt has failed, and which webhooks are disabled. */
import type { Connection, Transaction } from '../postgres/connection.js';

export interface WebhookHealth {
  id: string;
  /** Null if the last attempt succeeded. */
  failingSince: Date | null;
}

/** Skips disabled webhooks. */
export function readHealth(
  { prisma }: Connection,
  accountId: string,
  webhookIds: readonly string[],
): Promise<WebhookHealth[]> {
  return prisma.webhook.findMany({
    where: { accountId, id: { in: [...webhookIds] }, status: 'enabled' },
    select: { id: true, failingSince: true },
  });
}

/** Returns false and changes nothing if another transaction has changed the health since it was read. */
export async function changeFailingSince(
  { prisma }: Transaction,
  accountId: string,
  { id, failingSince }: WebhookHealth,
  changed: Date | null,
): Promise<boolean> {
  const { count } = await prisma.webhook.updateMany({
    where: { accountId, id, status: 'enabled', failingSince },
    data: { failingSince: changed },
  });
  return count > 0;
}

/** Returns false if the webhook is already disabled or deleted. */
export async function disableWebhook(
  { prisma }: Transaction,
  accountId: string,
  id: string,
  reason: string,
): Promise<boolean> {
  const { count } = await prisma.webhook.updateMany({
    where: { accountId, id, status: 'enabled' },
    data: { status: 'disabled', disabledReason: reason },
  });
  return count > 0;
}
