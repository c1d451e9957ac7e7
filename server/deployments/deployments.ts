/** The rules for deployments: freezing the draft, replacing the active deployment, and rolling back. */
import type { AgentReference, DeploymentRequest } from '../../generated/api.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate } from '../lib/time/clock.js';
import type { ModelRegistry } from '../models/registry.js';
import { countDeployment } from '../accounts/budgets.sql.js';
import type { Database, Transaction } from '../postgres/database.js';
import * as store from './deployment-rows.js';
import { assertModels, findAgent, getAgent, lockDraft, type StoredAgent } from '../agents/agents.js';
import { logAgentChange } from '../agents/changes.js';
import type { RequestContext, Caller } from '../accounts/caller.js';
import { dailyLimitReached, notFound, ServiceError } from '../contract/errors.js';
import type { Page } from '../contract/page.js';

/** Must be the only work of its transaction, because it holds the row lock of the draft, which serializes deployments. */
export async function createDeployment(
  transaction: Transaction,
  models: ModelRegistry,
  { caller, requestId }: RequestContext,
  agent: StoredAgent,
  { environment, version }: DeploymentRequest,
): Promise<store.StoredDeployment> {
  const draft = await lockDraft(transaction, caller, agent);
  await countAgainstLimit(transaction, caller);
  assertModels(models, draft);
  const slot = { agentId: agent.id, environment };
  if (await store.hasVersion(transaction, slot, version)) throw versionTaken(environment, version);
  const current = await findAgent(transaction, {
    accountId: caller.accountId,
    reference: agent.id,
    environment,
  });
  const replacedId = current?.activeDeploymentId ?? null;
  if (replacedId !== null) await store.retire(transaction, replacedId, 'superseded');
  const at = currentDate();
  const deployment = await insert(transaction, {
    ...slot,
    id: newId('dep'),
    version,
    draft,
    createdBy: caller.keyId,
    replacedId,
    at,
  });
  await logDeployment(transaction, { caller, requestId }, at, deployment, {
    message: `Version '${version}' was deployed to ${environment}.`,
    replaced_deployment_id: replacedId,
  });
  return deployment;
}

/** A deployment that fails is not counted, because its transaction is rolled back. */
async function countAgainstLimit(
  transaction: Transaction,
  { accountId, limits: { deploymentsPerDay } }: Caller,
): Promise<void> {
  if (deploymentsPerDay === Infinity) return;
  const { deployments, secondsLeft } = await countDeployment(transaction, accountId);
  if (deployments <= deploymentsPerDay) return;
  const what = `created ${deploymentsPerDay} deployments`;
  throw dailyLimitReached(what, { cap: 'deploymentsPerDay', retryAfter: secondsLeft });
}

/** Returns the deployment that becomes active. Must be the only work of its transaction, as above. */
export async function rollbackDeployment(
  transaction: Transaction,
  { caller, requestId }: RequestContext,
  agent: StoredAgent,
  id: string,
): Promise<store.StoredDeployment> {
  await lockDraft(transaction, caller, agent);
  const deployment = await store.findDeployment(transaction, agent.id, id);
  if (!deployment) throw notFound(`deployment '${id}'`);
  if (deployment.status !== 'active') {
    throw new ServiceError(
      'conflict',
      `Only an active deployment can be rolled back; this one is ${deployment.status}.`,
    );
  }
  if (deployment.replacedId === null) {
    throw new ServiceError(
      'conflict',
      'This deployment replaced no other, so there is nothing to roll back to.',
    );
  }
  const at = currentDate();
  await store.retire(transaction, deployment.id, 'rolled_back');
  const active = await store.reactivate(transaction, deployment.replacedId, at);
  await logDeployment(transaction, { caller, requestId }, at, active, {
    message: `Version '${deployment.version}' was rolled back; version '${active.version}' is active in ${active.environment} again.`,
    rolled_back_deployment_id: deployment.id,
  });
  return active;
}

type DeploymentFilter = Omit<store.DeploymentQuery, 'agentId'>;

export async function listDeployments(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  filter: DeploymentFilter,
): Promise<Page<store.StoredDeployment>> {
  const { id: agentId } = await getAgent(database, caller, reference);
  return store.listDeployments(database, { ...filter, agentId });
}

async function insert(
  transaction: Transaction,
  deployment: store.NewDeployment,
): Promise<store.StoredDeployment> {
  try {
    return await store.insertDeployment(transaction, deployment);
  } catch (error) {
    if (!store.wasOvertaken(error)) throw error;
    throw new ServiceError(
      'conflict',
      'Another deployment of this agent was created at the same time. Try again.',
    );
  }
}

function versionTaken(environment: string, version: string): ServiceError {
  return new ServiceError(
    'conflict',
    `Version '${version}' exists in environment '${environment}' already. Choose another label.`,
  );
}

function logDeployment(
  transaction: Transaction,
  { caller: { accountId }, requestId }: RequestContext,
  at: Date,
  { id, agentId, environment, version, model }: store.StoredDeployment,
  { message, ...metadata }: { message: string } & Record<string, string | null>,
): Promise<void> {
  return logAgentChange(transaction, {
    accountId,
    agentId,
    requestId,
    at,
    message,
    metadata: { deployment_id: id, environment, version, model, ...metadata },
  });
}
