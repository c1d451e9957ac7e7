/** The rules for webhooks: where they may lead, whose they are, and the secret that signs what they deliver. */
import { randomBytes } from 'node:crypto';
import type { EventType, WebhookRequest } from '../../generated/api.js';
import type { Secrets } from '../lib/crypto.js';
import { checkTarget, TargetRefused, type TargetPolicy } from '../lib/target-address.js';
import { newId } from '../lib/typeid.js';
import type { Connection, Database } from '../store/database.js';
import * as store from '../store/webhooks.js';
import { makeForAgent, scopeOfList, scopeOfNew } from './agents/agent-scope.js';
import type { Caller } from './caller.js';
import { invalid, notFound } from './errors.js';
import type { Page } from './page.js';

export type { StoredWebhook } from '../store/webhooks.js';

export interface WebhookInput {
  accountId: string;
  agentId: string | null;
  url: string;
  events: EventType[];
}

/** Turns a caller's request into a webhook that the caller may have made. */
export async function authorizeWebhook(
  database: Database,
  targets: TargetPolicy,
  caller: Caller,
  request: WebhookRequest,
): Promise<WebhookInput> {
  const agentId = await scopeOfNew(database, caller, request.agent_id ?? null);
  await assertTarget(request.url, targets);
  return { accountId: caller.accountId, agentId, url: request.url, events: request.events };
}

async function assertTarget(url: string, targets: TargetPolicy): Promise<void> {
  if (!URL.canParse(url)) throw invalid({ field: 'url', error: 'must be a URL' });
  try {
    await checkTarget(new URL(url), targets);
  } catch (error) {
    if (!(error instanceof TargetRefused)) throw error;
    throw invalid({ field: 'url', error: error.reason });
  }
}

export interface CreatedWebhook {
  record: store.StoredWebhook;
  /** Nobody is shown it again. */
  secret: string;
}

export async function createWebhook(
  connection: Connection,
  secrets: Secrets,
  input: WebhookInput,
): Promise<CreatedWebhook> {
  const id = newId('wh');
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sealedSecret = secrets.seal(secret, sealContext(id));
  const createdAt = await makeForAgent(input.agentId, () =>
    store.insertWebhook(connection, { ...input, id, sealedSecret }),
  );
  const { agentId, url, events } = input;
  const record = {
    id,
    agentId,
    url,
    events,
    status: 'enabled',
    createdAt,
    lastDelivery: null,
  } as const;
  return { record, secret };
}

/** The secret as it was shown, for signing. */
export function openSecret(secrets: Secrets, webhookId: string, sealed: Uint8Array): string {
  return secrets.open(sealed, sealContext(webhookId)).toString();
}

const sealContext = (id: string) => `webhook ${id}`;

export interface WebhookFilter extends Omit<store.WebhookQuery, 'accountId' | 'agentId'> {
  agent: string | undefined;
}

export async function listWebhooks(
  database: Database,
  caller: Caller,
  { agent, ...page }: WebhookFilter,
): Promise<Page<store.StoredWebhook>> {
  const scope = await scopeOfList(database, caller, agent);
  if (scope === 'nothing') return { items: [], total: 0 };
  return store.listWebhooks(database, { ...page, ...scope, accountId: caller.accountId });
}

export async function deleteWebhook(database: Database, caller: Caller, id: string): Promise<void> {
  const deleted = await store.deleteWebhook(database, {
    accountId: caller.accountId,
    id,
    agentId: caller.agentId ?? undefined,
  });
  if (!deleted) throw notFound(`webhook '${id}'`);
}
