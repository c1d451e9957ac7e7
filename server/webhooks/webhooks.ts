/** The rules for webhooks: allowed addresses, scope, and the secret that signs deliveries. */
import { randomBytes } from 'node:crypto';
import type { EventType, WebhookRequest } from '../../generated/api.js';
import { sealContexts } from '../installation/seal-contexts.js';
import type { Secrets } from '../installation/key-ring.js';
import { checkTarget, TargetRefused, type TargetPolicy } from '../lib/net/target-address.js';
import { newId } from '../lib/data/typeid.js';
import type { Connection, Database, Transaction } from '../postgres/database.js';
import * as store from './webhook-rows.js';
import { insertForAgent, resolveListScope, resolveScope } from '../agents/scope.js';
import type { Caller } from '../accounts/caller.js';
import { invalid, notFound, ServiceError } from '../contract/errors.js';
import type { Page } from '../contract/page.js';

interface WebhookInput {
  accountId: string;
  agentId: string | null;
  url: string;
  events: EventType[];
  /** The id of the key that creates it; null for the operator. */
  createdBy: string | null;
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

/** The check holds until the transaction ends. */
export async function assertWebhookLimit(
  transaction: Transaction,
  { accountId, limits }: Caller,
): Promise<void> {
  if (limits.webhooks === Infinity) return;
  const count = await store.countWebhooksLocked(transaction, accountId);
  if (count < limits.webhooks) return;
  const message = `The account has ${count} webhooks, and may have ${limits.webhooks}. Delete one first.`;
  throw new ServiceError('conflict', message);
}

interface CreatedWebhook {
  record: store.StoredWebhook;
  /** The signing secret in plain text, which is shown only once. */
  secret: string;
}

export async function createWebhook(
  connection: Connection,
  secrets: Secrets,
  input: WebhookInput,
): Promise<CreatedWebhook> {
  const id = newId('wh');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sealedSecret = secrets.seal(secret, sealContexts.webhook(id));
  const createdAt = await insertForAgent(input.agentId, () =>
    store.insertWebhook(connection, { ...input, id, host: hostOf(input.url), sealedSecret }),
  );
  const { agentId, url, events, createdBy } = input;
  const record = {
    id,
    agentId,
    url,
    events,
    status: 'enabled',
    createdAt,
    createdBy,
    lastDelivery: null,
  } as const;
  return { record, secret };
}

/** Without the port: a host with many ports counts as one receiver. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '');
}

/** Decrypts the signing secret. */
export function openSecret(secrets: Secrets, webhookId: string, sealed: Uint8Array): string {
  return secrets.open(sealed, sealContexts.webhook(webhookId)).toString();
}

interface WebhookFilter extends Omit<store.WebhookQuery, 'accountId' | 'agentId'> {
  agent: string | undefined;
}

export async function listWebhooks(
  database: Database,
  caller: Caller,
  { agent, ...page }: WebhookFilter,
): Promise<Page<store.StoredWebhook>> {
  const scope = await resolveListScope(database, caller, agent);
  if (scope === 'none') return { items: [], total: 0 };
  return store.listWebhooks(database, { ...page, ...scope, accountId: caller.accountId });
}

export async function deleteWebhook(database: Database, caller: Caller, id: string): Promise<void> {
  const target = { accountId: caller.accountId, id, agentId: caller.agentId ?? undefined };
  const deleted = await database.transaction((transaction) =>
    store.deleteWebhook(transaction, target),
  );
  if (!deleted) throw notFound(`webhook '${id}'`);
}
