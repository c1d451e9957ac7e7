/**
 * Webhooks: allowed addresses, scope, and the secret that signs deliveries. Every query filters by account, so that it never finds
 * another account's webhook.
 */
import { randomBytes } from 'node:crypto';
import type {
  EventType,
  ParameterWebhookSort,
  WebhookRequest,
  WebhookStatus,
} from '../../generated/api.js';
import type { Caller } from '../accounts/caller.js';
import {
  insertForAgent,
  resolveListScope,
  resolveScope,
  type AgentScope,
  scopeConditions,
} from '../agents/scope.js';
import { invalid, notFound, ServiceError } from '../contract/errors.js';
import type { Page, PageRequest } from '../contract/page.js';
import type { Secrets } from '../installation/key-ring.js';
import { sealContexts } from '../installation/seal-contexts.js';
import { newId } from '../lib/data/typeid.js';
import { checkTarget, TargetRefused, type TargetPolicy } from '../lib/net/target-address.js';
import { currentDate } from '../lib/time/clock.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import type { Connection, Database, Transaction } from '../postgres/database.js';
import { readPage } from '../postgres/page.js';
import { schedulePurges } from '../postgres/retention/purges.js';
import { sortOf } from '../postgres/sorting.js';
import { findLastDeliveries, type LastDelivery } from './last-deliveries.sql.js';

interface WebhookInput {
  accountId: string;
  agentId: string | null;
  url: string;
  events: EventType[];
  /** The id of the key that creates it. Null: the operator creates it, or it is not known. */
  createdBy: string | null;
}

export interface StoredWebhook extends Omit<WebhookInput, 'accountId'> {
  id: string;
  status: WebhookStatus;
  createdAt: Date;
  /** Null before the first attempt. */
  lastDelivery: LastDelivery | null;
}

/** Checks that the caller may create the requested webhook. */
export async function authorizeWebhook(
  database: Database,
  targets: TargetPolicy,
  caller: Caller,
  request: WebhookRequest,
): Promise<WebhookInput> {
  const agentId = await resolveScope(database, caller, request.agent_id ?? null);
  await assertTarget(request.url, targets);
  const { url, events } = request;
  return { accountId: caller.accountId, agentId, url, events, createdBy: caller.keyId };
}

async function assertTarget(url: string, targets: TargetPolicy): Promise<void> {
  // URL accepts https:///path and takes its path for the host.
  if (!/^https?:\/\/[^/?#]/.test(url) || !URL.canParse(url)) {
    throw invalid({ field: 'url', error: 'must be an address with a host' });
  }
  try {
    await checkTarget(new URL(url), targets);
  } catch (error) {
    if (!(error instanceof TargetRefused)) throw error;
    throw invalid({ field: 'url', error: error.reason });
  }
}

/** No other transaction can add a webhook to the account until this one ends. */
export async function assertWebhookLimit(
  transaction: Transaction,
  { accountId, limits }: Caller,
): Promise<void> {
  if (limits.webhooks === Infinity) return;
  await takeTransactionLock(transaction, `webhooks ${accountId}`);
  const count = await transaction.prisma.webhook.count({ where: { accountId } });
  if (count < limits.webhooks) return;
  const message = `The account has ${count} webhooks, and may have ${limits.webhooks}. Delete one first.`;
  throw new ServiceError('conflict', message);
}

interface NewWebhook {
  record: StoredWebhook;
  /** The signing secret in plain text, which is shown only once. */
  secret: string;
}

export async function createWebhook(
  { prisma }: Connection,
  secrets: Secrets,
  input: WebhookInput,
): Promise<NewWebhook> {
  const id = newId('wh');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sealedSecret = secrets.seal(secret, sealContexts.webhook(id));
  const webhook = { ...input, id, createdAt: currentDate() };
  const data = { ...webhook, host: hostOf(input.url), sealedSecret };
  await insertForAgent(input.agentId, () => prisma.webhook.create({ data, select: { id: true } }));
  return { record: { ...webhook, status: 'enabled', lastDelivery: null }, secret };
}

/** Without the port: a host with many ports counts as one receiver. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '');
}

/** Decrypts the signing secret. */
export function openSecret(secrets: Secrets, webhookId: string, sealed: Uint8Array): string {
  return secrets.open(sealed, sealContexts.webhook(webhookId)).toString();
}

interface WebhookFilter extends PageRequest, Omit<AgentScope, 'agentId'> {
  agent: string | undefined;
  event: EventType | undefined;
  sort: ParameterWebhookSort;
}

export async function listWebhooks(
  database: Database,
  caller: Caller,
  { agent, hiddenAgents, event, sort, limit, offset }: WebhookFilter,
): Promise<Page<StoredWebhook>> {
  const scope = await resolveListScope(database, caller, agent);
  if (scope === 'none') return { items: [], total: 0 };
  const { accountId } = caller;
  const { field, direction } = sortOf(sort);
  const { items, total } = await readPage<Omit<StoredWebhook, 'lastDelivery'>>(database, {
    limit,
    offset,
    table: 'webhooks',
    fields: ['id', 'agentId', 'url', 'events', 'status', 'createdAt', 'createdBy'],
    where: {
      'account_id = ?': accountId,
      ...scopeConditions({ ...scope, hiddenAgents }),
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

interface WebhookKey {
  accountId: string;
  id: string;
}

/** Returns the agent of a webhook. Undefined if there is no such webhook, or if it belongs to the whole account. */
export async function findWebhookAgent(
  { prisma }: Connection,
  { accountId, id }: WebhookKey,
): Promise<string | undefined> {
  const webhook = await prisma.webhook.findFirst({
    where: { id, accountId },
    select: { agentId: true },
  });
  return webhook?.agentId ?? undefined;
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

export async function deleteWebhook(database: Database, caller: Caller, id: string): Promise<void> {
  const target = { accountId: caller.accountId, id, agentId: caller.agentId ?? undefined };
  const removed = await database.transaction((transaction) => removeWebhook(transaction, target));
  if (!removed) throw notFound(`webhook '${id}'`);
}

interface WebhookTarget extends WebhookKey {
  /** If set, matches only a webhook of this agent. */
  agentId: string | undefined;
}

/** Returns false if there is no such webhook. A background task later deletes its deliveries, which are listed in `purges`. */
export async function removeWebhook(
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
