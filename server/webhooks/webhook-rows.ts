/** Queries of webhooks. Every query filters by account, so that it never finds another account's webhook. */
import type { EventType, ParameterWebhookSort, WebhookStatus } from '../../generated/api.js';
import { type AgentScope, scopeConditions } from '../agents/scope.js';
import type { Connection, Queryable, Transaction } from '../postgres/connection.js';
import type { Page, PageRequest } from '../contract/page.js';
import { readPage } from '../postgres/page.js';
import { sortOf } from '../postgres/sorting.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { schedulePurges } from '../postgres/retention/purges.js';
import { findLastDeliveries, type LastDelivery } from './last-deliveries.sql.js';
import { currentDate } from '../lib/time/clock.js';

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

export async function listWebhooks(
  database: Queryable,
  { accountId, event, sort, limit, offset, ...scope }: WebhookQuery,
): Promise<Page<StoredWebhook>> {
  const { field, direction } = sortOf(sort);
  const { items, total } = await readPage<Omit<StoredWebhook, 'lastDelivery'>>(database, {
    limit,
    offset,
    table: 'webhooks',
    fields: ['id', 'agentId', 'url', 'events', 'status', 'createdAt', 'createdBy'],
    where: {
      'account_id = ?': accountId,
      ...scopeConditions(scope),
      '? = ANY(events)': event,
    },
    order: `${field} ${direction}, id ${direction}`,
  });
  const ids = items.map(({ id }) => id);
  const last = await findLastDeliveries(database, accountId, ids);
  return {
    items: items.map((webhook) => ({ ...webhook, lastDelivery: last.get(webhook.id) ?? null })),
    total,
  };
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
