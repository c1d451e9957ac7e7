/** The rules for agents: visibility, and changes to the draft configuration. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentReference, AgentUpdate } from '../../generated/api.js';
import type { ModelNeeds, ModelRegistry } from '../models/registry.js';
import * as drafts from './drafts.js';
import * as store from './agent-rows.js';
import type { Database, Transaction } from '../postgres/database.js';
import {
  agentNotFound,
  type RequestContext,
  type Caller,
  requireVisible,
} from '../accounts/caller.js';
import { logConfigurationChange } from './configuration-log.js';
import { modelNeeds } from './manifests/conversion.js';
import { invalid } from '../contract/errors.js';
import type { Page } from '../contract/page.js';

export async function getAgent(
  database: Database,
  caller: Caller,
  reference: AgentReference,
): Promise<store.StoredAgent> {
  const found = await store.findAgent(database, caller.accountId, reference);
  return requireVisible(found, caller, reference);
}

/** Includes the draft configuration, which only responses about the agent itself need. */
export async function describeAgent(
  database: Database,
  caller: Caller,
  reference: AgentReference,
): Promise<store.DescribedAgent> {
  const found = await store.describeAgent(database, caller.accountId, reference);
  return requireVisible(found, caller, reference);
}

type AgentFilter = Omit<store.AgentQuery, 'accountId' | 'id'>;

export function listAgents(
  database: Database,
  caller: Caller,
  filter: AgentFilter,
): Promise<Page<store.AgentListing>> {
  return store.listAgents(database, {
    ...filter,
    accountId: caller.accountId,
    id: caller.agentId ?? undefined,
  });
}

export async function updateAgent(
  database: Database,
  models: ModelRegistry,
  { caller, requestId }: RequestContext,
  reference: AgentReference,
  changes: AgentUpdate,
): Promise<store.DescribedAgent> {
  const agent = await getAgent(database, caller, reference);
  const { model } = changes;
  if (model !== undefined) assertModel(models, model, agent);
  await database.transaction(async (transaction) => {
    const before = await lockDraft(transaction, caller, agent);
    const after = { ...before, ...changes };
    if (isDeepStrictEqual(before, after)) return;
    await store.updateAgent(transaction, agent.id, changes);
    const { accountId } = caller;
    const change = { accountId, agentId: agent.id, requestId, before, after };
    await logConfigurationChange(transaction, change);
  });
  return describeAgent(database, caller, agent.id);
}

/** Throws if the service cannot run the model or one of its fallbacks. */
export function assertModels(models: ModelRegistry, draft: drafts.AgentDraft): void {
  const needs = modelNeeds(draft);
  assertModel(models, draft.model, needs);
  for (const fallback of draft.options.fallbacks ?? []) {
    assertModel(models, fallback, needs, 'fallbacks');
  }
}

function assertModel(
  models: ModelRegistry,
  model: string,
  needs: ModelNeeds,
  field = 'model',
): void {
  const problem = models.problemWith(model, needs);
  if (problem) throw invalid({ field, error: problem });
}

/** Reads the draft with a row lock, so that no other transaction changes or deploys it until this one ends. */
export async function lockDraft(
  transaction: Transaction,
  { accountId }: Caller,
  { id, name }: store.StoredAgent,
): Promise<drafts.AgentDraft> {
  const found = await drafts.lockDraft(transaction, accountId, name);
  if (found?.id !== id) throw agentNotFound(name);
  return found;
}

export async function deleteAgent(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  deleteWaiting: store.DeleteWaiting,
): Promise<string> {
  const { id } = await getAgent(database, caller, reference);
  const isDeleted = await database.transaction((transaction) =>
    store.deleteAgent(transaction, { accountId: caller.accountId, id, deleteWaiting }),
  );
  if (!isDeleted) throw agentNotFound(reference);
  return id;
}

/** For the operator only. */
export async function setAgentStatus(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  status: store.StoredAgent['status'],
): Promise<store.StoredAgent> {
  const { id } = await getAgent(database, caller, reference);
  await database.transaction((transaction) => store.updateAgent(transaction, id, { status }));
  return getAgent(database, caller, id);
}
