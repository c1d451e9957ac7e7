/** Queries of deployments, which are frozen configurations. One is active per agent and environment. */
import type { DeploymentStatus, ParameterDeploymentSort } from '../../generated/api.js';
import { Prisma } from '../../generated/prisma/client.js';
import { hasCode } from '../lib/errors/error-code.js';
import type { AgentDraft } from '../agents/drafts.js';
import { announceChanges } from '../postgres/changes.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { jsonOf, objectOf } from '../postgres/json.js';
import type { Page, PageRequest } from '../contract/page.js';
import { readPage } from '../postgres/page.js';
import { sortOf } from '../postgres/sorting.js';

type Row = Prisma.DeploymentGetPayload<object>;

export type StoredDeployment = Omit<Row, 'endpoint' | 'options'> &
  Pick<AgentDraft, 'endpoint' | 'options'>;

function deploymentOf({ endpoint, options, ...row }: Row): StoredDeployment {
  // Needs no validation: it is a copy of a draft, whose manifest was validated.
  return { ...row, endpoint: objectOf(endpoint), options: objectOf(options) ?? {} };
}

/** The agent and environment in which a deployment is active. */
interface Slot {
  agentId: string;
  environment: string;
}

export interface NewDeployment extends Slot {
  id: string;
  version: string;
  /** The configuration to freeze. */
  draft: AgentDraft;
  createdBy: string | null;
  replacedId: string | null;
  at: Date;
}

/**
 * Announces a change of the agent, because caches hold the agent with its active configuration. Callers that change the active
 * deployment must hold the agent's row lock. Without it a race violates the unique index, which `wasOvertaken` recognises.
 */
export async function insertDeployment(
  transaction: Transaction,
  { draft, at, ...deployment }: NewDeployment,
): Promise<StoredDeployment> {
  // Omits the policy and the budget: a rollback must not restore weaker ones.
  const { model, temperature, instructions, timeoutMs, historyLimit, endpoint, options } = draft;
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
  await announceChanges(transaction, [deployment.agentId]);
  return read(transaction, deployment.id);
}

/** Whether a concurrent transaction took the version label or the active slot. */
export function wasOvertaken(error: unknown): boolean {
  return hasCode(error, 'P2002');
}

export async function hasVersion(
  { prisma }: Transaction,
  { agentId, environment }: Slot,
  version: string,
): Promise<boolean> {
  const found = await prisma.deployment.findUnique({
    where: { agentId_environment_version: { agentId, environment, version } },
    select: { id: true },
  });
  return found !== null;
}

export async function findDeployment(
  { prisma }: Transaction,
  agentId: string,
  id: string,
): Promise<StoredDeployment | undefined> {
  const found = await prisma.deployment.findUnique({ where: { id, agentId } });
  return found ? deploymentOf(found) : undefined;
}

export async function retire(
  { prisma }: Transaction,
  id: string,
  status: Exclude<DeploymentStatus, 'active'>,
): Promise<void> {
  await prisma.deployment.update({ where: { id }, data: { status }, select: { id: true } });
}

export async function reactivate(
  transaction: Transaction,
  id: string,
  at: Date,
): Promise<StoredDeployment> {
  const data = { status: 'active', activatedAt: at } as const;
  await transaction.prisma.deployment.update({ where: { id }, data, select: { id: true } });
  const active = await read(transaction, id);
  await announceChanges(transaction, [active.agentId]);
  return active;
}

async function read({ prisma }: Transaction, id: string): Promise<StoredDeployment> {
  return deploymentOf(await prisma.deployment.findUniqueOrThrow({ where: { id } }));
}

export interface DeploymentQuery extends PageRequest {
  agentId: string;
  environment: string | undefined;
  status: DeploymentStatus | undefined;
  sort: ParameterDeploymentSort;
}

export async function listDeployments(
  database: Queryable,
  { agentId, environment, status, sort, limit, offset }: DeploymentQuery,
): Promise<Page<StoredDeployment>> {
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
