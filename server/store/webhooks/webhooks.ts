/** Queries of webhooks. Every query filters by account, so that it never finds another account's webhook. */
import type { EventType, ParameterWebhookSort, WebhookStatus } from '../../../generated/api.js';
import type { Prisma } from '../../../generated/prisma/client.js';
import { type AgentScope, inScope } from '../agents/scope.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { type Page, type PageRequest, readPage } from '../postgres/page.js';
import { sortOf } from '../postgres/sorting.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { schedulePurges } from '../retention/purges.js';
import { findLastDeliveries, type LastDelivery } from './last-deliveries.sql.js';
import { currentDate } from '../../lib/time/clock.js';

export interface NewWebhook {
  id: string;
  accountId: string;
  agentId: string | null;
  url: string;
  host: string;
  events: EventType[];
  /** The id of the key that created it. Null: the operator created it, or it is not known. */
  createdBy: string | null;
  sealedSecret: Uint8Array<ArrayBuffer>;
}

export interface StoredWebhook extends Omit<NewWebhook, 'accountId' | 'host' | 'sealedSecret'> {
  status: WebhookStatus;
  createdAt: Date;
  /** Null before the first attempt. */
  lastDelivery: LastDelivery | null;
}

/** Counts the account's webhooks, and prevents other transactions from adding one until this transaction ends. */
export async function countWebhooksLocked(
  transaction: Transaction,
  accountId: string,
): Promise<number> {
  await takeTransactionLock(transaction, `webhooks ${accountId}`);
  return transaction.prisma.webhook.count({ where: { accountId } });
}

/** Returns the creation time. */
export async function insertWebhook({ prisma }: Connection, webhook: NewWebhook): Promise<Date> {
  const createdAt = currentDate();
  await prisma.webhook.create({ data: { ...webhook, createdAt }, select: { id: true } });
  return createdAt;
}

export interface WebhookQuery extends PageRequest, AgentScope {
  accountId: string;
  event: EventType | undefined;
  sort: ParameterWebhookSort;
}

const webhookFields = {
  id: true,
  agentId: true,
  url: true,
  events: true,
  status: true,
  createdAt: true,
  createdBy: true,
} as const;

export function listWebhooks(
  connection: Connection,
  { accountId, agentId, hiddenAgents, event, sort, ...page }: WebhookQuery,
): Promise<Page<StoredWebhook>> {
  const { prisma } = connection;
  const where: Prisma.WebhookWhereInput = {
    accountId,
    ...inScope({ agentId, hiddenAgents }),
    ...(event === undefined ? {} : { events: { has: event } }),
  };
  const { direction } = sortOf(sort);
  const orderBy = [{ createdAt: direction }, { id: direction }];
  return readPage(page, {
    items: async (window) => {
      const webhooks = await prisma.webhook.findMany({
        where,
        select: webhookFields,
        orderBy,
        ...window,
      });
      const ids = webhooks.map(({ id }) => id);
      const last = await findLastDeliveries(connection, accountId, ids);
      return webhooks.map((webhook) => ({
        ...webhook,
        // The contract allows no other values.
        events: webhook.events as EventType[],
        lastDelivery: last.get(webhook.id) ?? null,
      }));
    },
    total: () => prisma.webhook.count({ where }),
  });
}

export interface CreatedWebhook {
  id: string;
  url: string;
}

/** The webhooks that were created with one of the keys. */
export function findCreatedWebhooks(
  { prisma }: Connection,
  accountId: string,
  keyIds: readonly string[],
): Promise<CreatedWebhook[]> {
  return prisma.webhook.findMany({
    where: { accountId, createdBy: { in: [...keyIds] } },
    select: { id: true, url: true },
    orderBy: { id: 'asc' },
  });
}

interface WebhookTarget {
  accountId: string;
  id: string;
  /** If set, matches only a webhook of this agent. */
  agentId: string | undefined;
}

/** Returns the agent of a webhook. Undefined if there is no such webhook, or if it belongs to the whole account. */
export async function findWebhookAgent(
  { prisma }: Connection,
  { accountId, id }: Omit<WebhookTarget, 'agentId'>,
): Promise<string | undefined> {
  const webhook = await prisma.webhook.findFirst({
    where: { id, accountId },
    select: { agentId: true },
  });
  return webhook?.agentId ?? undefined;
}

/** Returns false if there is no such webhook. A background task later deletes its deliveries, which are listed in `purges`. */
export async function deleteWebhook(
  transaction: Transaction,
  { accountId, id, agentId }: WebhookTarget,
): Promise<boolean> {
  const { webhook } = transaction.prisma;
  const where = { id, accountId, ...(agentId === undefined ? {} : { agentId }) };
  const found = await webhook.findFirst({ where, select: { host: true } });
  const { count } = await webhook.deleteMany({ where });
  if (!found || count === 0) return false;
  await schedulePurges(transaction, accountId, [
    { table: 'deliveries', ownerId: id, name: found.host },
  ]);
  return true;
}
