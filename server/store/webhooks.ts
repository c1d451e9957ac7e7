/** The webhooks of the database. Every query names the account, so that no other account's webhook is ever found. */
import type { EventType, ParameterWebhookSort, WebhookStatus } from '../../generated/api.js';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Connection } from './connection.js';
import { type Page, type PageRequest, readPage } from './page.js';
import { sortOf } from './sorting.js';
import { findLastDeliveries, type LastDelivery } from './sql/deliveries-last.js';

export interface NewWebhook {
  id: string;
  accountId: string;
  agentId: string | null;
  url: string;
  events: EventType[];
  sealedSecret: Uint8Array<ArrayBuffer>;
}

export interface StoredWebhook extends Omit<NewWebhook, 'accountId' | 'sealedSecret'> {
  status: WebhookStatus;
  createdAt: Date;
  /** Null if nothing was sent yet. */
  lastDelivery: LastDelivery | null;
}

/** When it was made. */
export async function insertWebhook({ prisma }: Connection, webhook: NewWebhook): Promise<Date> {
  const { createdAt } = await prisma.webhook.create({
    data: webhook,
    select: { createdAt: true },
  });
  return createdAt;
}

export interface WebhookQuery extends PageRequest {
  accountId: string;
  agentId: string | undefined;
  event: EventType | undefined;
  sort: ParameterWebhookSort;
}

const shown = {
  id: true,
  agentId: true,
  url: true,
  events: true,
  status: true,
  createdAt: true,
} as const;

export function listWebhooks(
  connection: Connection,
  { accountId, agentId, event, sort, ...page }: WebhookQuery,
): Promise<Page<StoredWebhook>> {
  const { prisma } = connection;
  const where: Prisma.WebhookWhereInput = {
    accountId,
    ...(agentId === undefined ? {} : { agentId }),
    ...(event === undefined ? {} : { events: { has: event } }),
  };
  const { direction } = sortOf(sort);
  const orderBy = [{ createdAt: direction }, { id: direction }];
  return readPage(page, {
    items: async (window) => {
      const webhooks = await prisma.webhook.findMany({ where, select: shown, orderBy, ...window });
      const ids = webhooks.map(({ id }) => id);
      const last = await findLastDeliveries(connection, ids);
      return webhooks.map((webhook) => ({
        ...webhook,
        // The contract lets nothing else in.
        events: webhook.events as EventType[],
        lastDelivery: last.get(webhook.id) ?? null,
      }));
    },
    total: () => prisma.webhook.count({ where }),
  });
}

export interface WebhookTarget {
  accountId: string;
  id: string;
  /** Only a webhook of this agent. */
  agentId: string | undefined;
}

/** Whether there was such a webhook. Its deliveries go with it, by the foreign key. */
export async function deleteWebhook(
  { prisma }: Connection,
  { accountId, id, agentId }: WebhookTarget,
): Promise<boolean> {
  const { count } = await prisma.webhook.deleteMany({
    where: { id, accountId, ...(agentId === undefined ? {} : { agentId }) },
  });
  return count === 1;
}
