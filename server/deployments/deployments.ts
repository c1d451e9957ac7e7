/** Deployments: frozen drafts, of which one is active per agent and environment. A rollback reactivates the one that it replaced. */
import type {
  AgentReference,
  DeploymentRequest,
  DeploymentStatus,
  ParameterDeploymentSort,
} from '../../generated/api.js';
import { Prisma } from '../../generated/prisma/client.js';
import { countDeployment } from '../accounts/daily-use.sql.js';
import type { Caller, RequestContext } from '../accounts/caller.js';
import {
  assertModels,
  findAgent,
  getAgent,
  lockDraft,
  type StoredAgent,
} from '../agents/agents.js';
import { logAgentChange } from '../agents/changes.js';
import type { AgentDraft } from '../agents/drafts.js';
import { dailyLimitReached, notFound, ServiceError } from '../contract/errors.js';
import type { Page, PageRequest } from '../contract/page.js';
import { newId } from '../lib/data/typeid.js';
import { hasCode } from '../lib/errors/error-code.js';
import { currentDate } from '../lib/time/clock.js';
import type { ModelRegistry } from '../models/registry.js';
import { announceChanges } from '../postgres/changes.js';
import type { Database, Transaction } from '../postgres/database.js';
import { jsonOf, objectOf } from '../postgres/json.js';
import { readPage } from '../postgres/page.js';
import { sortOf } from '../postgres/sorting.js';

type Row = Prisma.DeploymentGetPayload<object>;

export type StoredDeployment = Omit<Row, 'endpoint' | 'options'> &
  Pick<AgentDraft, 'endpoint' | 'options'>;

interface CreationRequest extends DeploymentRequest {
  agent: StoredAgent;
  models: ModelRegistry;
}

/** Must be the only work of its transaction, because it holds the row lock of the draft, which serializes deployments. */
export async function createDeployment(
  transaction: Transaction,
  context: RequestContext,
  { agent, models, environment, version }: CreationRequest,
): Promise<StoredDeployment> {
  const { caller } = context;
  const { accountId } = caller;
  const draft = await lockDraft(transaction, caller, agent);
  await countAgainstLimit(transaction, caller);
  assertModels(models, draft);
  await assertNewVersion(transaction, { agentId: agent.id, environment, version });
  const current = await findAgent(transaction, { accountId, reference: agent.id, environment });
  const replacedId = current?.activeDeploymentId ?? null;
  if (replacedId !== null) await retire(transaction, replacedId, 'superseded');
  const deployment = await insertDeployment(transaction, {
    agentId: agent.id,
    environment,
    id: newId('dep'),
    version,
    draft,
    createdBy: caller.keyId,
    replacedId,
    at: currentDate(),
  });
  await logDeployment(transaction, context, deployment, {
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

async function assertNewVersion(
  { prisma }: Transaction,
  label: Pick<Row, 'agentId' | 'environment' | 'version'>,
): Promise<void> {
  const found = await prisma.deployment.findUnique({
    where: { agentId_environment_version: label },
    select: { id: true },
  });
  if (!found) return;
  const { environment, version } = label;
  throw new ServiceError(
    'conflict',
    `Version '${version}' exists in environment '${environment}' already. Choose another label.`,
  );
}

type NewDeployment = Pick<
  Row,
  'id' | 'agentId' | 'environment' | 'version' | 'createdBy' | 'replacedId'
> & {
  /** The configuration to freeze. */
  draft: AgentDraft;
  at: Date;
};

/**
 * Announces a change of the agent, because caches hold the agent with its active configuration. Callers that change the active
 * deployment must hold the agent's row lock. Without it a race violates a unique index.
 */
export async function insertDeployment(
  transaction: Transaction,
  { draft, at, ...deployment }: NewDeployment,
): Promise<StoredDeployment> {
  // Omits the policy and the budget: a rollback must not restore weaker ones.
  const { model, temperature, instructions, timeoutMs, historyLimit, endpoint, options } = draft;
  try {
    await transaction.prisma.deployment.create({
      data: {
        ...deployment,
        model,
        temperature,
        instructions,
        timeoutMs,
        historyLimit,
        endpoint: endpoint ? { ...endpoint } : Prisma.DbNull,
        options: jsonOf(options),
        status: 'active',
        createdAt: at,
        activatedAt: at,
      },
      select: { id: true },
    });
  } catch (error) {
    // A concurrent transaction took the version label or the active slot.
    if (!hasCode(error, 'P2002')) throw error;
    throw new ServiceError(
      'conflict',
      'Another deployment of this agent was created at the same time. Try again.',
    );
  }
  await announceChanges(transaction, [deployment.agentId]);
  return read(transaction, deployment.id);
}

/** Returns the deployment that becomes active. Must be the only work of its transaction, as above. */
export async function rollbackDeployment(
  transaction: Transaction,
  context: RequestContext,
  { agent, id }: { agent: StoredAgent; id: string },
): Promise<StoredDeployment> {
  await lockDraft(transaction, context.caller, agent);
  const deployment = await transaction.prisma.deployment.findUnique({
    where: { id, agentId: agent.id },
  });
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
  await retire(transaction, deployment.id, 'rolled_back');
  const active = await reactivate(transaction, deployment.replacedId);
  await logDeployment(transaction, context, active, {
    message: `Version '${deployment.version}' was rolled back; version '${active.version}' is active in ${active.environment} again.`,
    rolled_back_deployment_id: deployment.id,
  });
  return active;
}

export async function retire(
  { prisma }: Transaction,
  id: string,
  status: Exclude<DeploymentStatus, 'active'>,
): Promise<void> {
  await prisma.deployment.update({ where: { id }, data: { status }, select: { id: true } });
}

export async function reactivate(transaction: Transaction, id: string): Promise<StoredDeployment> {
  const data = { status: 'active', activatedAt: currentDate() } as const;
  await transaction.prisma.deployment.update({ where: { id }, data, select: { id: true } });
  const active = await read(transaction, id);
  await announceChanges(transaction, [active.agentId]);
  return active;
}

async function read({ prisma }: Transaction, id: string): Promise<StoredDeployment> {
  return deploymentOf(await prisma.deployment.findUniqueOrThrow({ where: { id } }));
}

function deploymentOf({ endpoint, options, ...row }: Row): StoredDeployment {
  // Needs no validation: it is a copy of a draft, whose manifest was validated.
  return { ...row, endpoint: objectOf(endpoint), options: objectOf(options) ?? {} };
}

/** At the time at which the deployment became active. */
function logDeployment(
  transaction: Transaction,
  { caller: { accountId }, requestId }: RequestContext,
  { id, agentId, environment, version, model, activatedAt }: StoredDeployment,
  { message, ...metadata }: { message: string } & Record<string, string | null>,
): Promise<void> {
  return logAgentChange(transaction, {
    accountId,
    agentId,
    requestId,
    at: activatedAt,
    message,
    metadata: { deployment_id: id, environment, version, model, ...metadata },
  });
}

interface DeploymentFilter extends PageRequest {
  agent: AgentReference;
  environment: string | undefined;
  status: DeploymentStatus | undefined;
  sort: ParameterDeploymentSort;
}

export async function listDeployments(
  database: Database,
  caller: Caller,
  { agent, environment, status, sort, limit, offset }: DeploymentFilter,
): Promise<Page<StoredDeployment>> {
  const { id: agentId } = await getAgent(database, caller, agent);
  const { field, direction } = sortOf(sort);
  const { items, total } = await readPage<Row>(database, {
    limit,
    offset,
    table: 'deployments',
    fields: Object.keys(Prisma.DeploymentScalarFieldEnum),
    renamed: { replacedId: 'replaced_deployment_id' },
    where: { 'agent_id = ?': agentId, 'environment = ?': environment, 'status = ?': status },
    order: `${field} ${direction}, id ${direction}`,
  });
  return { items: items.map(deploymentOf), total };
}
