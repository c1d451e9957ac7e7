/** The deployments of the database: frozen configurations, of which one is active per agent and environment. */
import { Prisma } from '../../generated/prisma/client.js';
import { hasCode } from '../lib/error-code.js';
import type { AgentDraft } from './agent-drafts.js';
import type { Database, Transaction } from './database.js';
import { sortOf } from './sorting.js';

export type DeploymentStatus = 'active' | 'superseded' | 'rolled_back';

const shown = {
  id: true,
  agentId: true,
  environment: true,
  version: true,
  status: true,
  model: true,
  temperature: true,
  createdAt: true,
  activatedAt: true,
  createdBy: true,
  replacedId: true,
} as const;

export type StoredDeployment = Prisma.DeploymentGetPayload<{ select: typeof shown }>;

/** Where a deployment is, or is to be, active. */
export interface Slot {
  agentId: string;
  environment: string;
}

export interface NewDeployment extends Slot {
  id: string;
  version: string;
  /** What it freezes. */
  draft: AgentDraft;
  createdBy: string | null;
  replacedId: string | null;
  at: Date;
}

/**
 * Whoever changes what is active in an environment of an agent locks the agent first; these functions rely on it. For
 * those who do not, the unique index speaks up: `isTaken` recognises it.
 */
export async function insertDeployment(
  transaction: Transaction,
  { draft, at, ...deployment }: NewDeployment,
): Promise<StoredDeployment> {
  // Not the policy: a rollback must not bring back a weaker one.
  const { model, temperature, instructions, timeoutMs, historyLimit, endpoint } = draft;
  return transaction.deployment.create({
    data: {
      ...deployment,
      model,
      temperature,
      instructions,
      timeoutMs,
      historyLimit,
      endpoint: endpoint ? { ...endpoint } : Prisma.DbNull,
      status: 'active',
      createdAt: at,
      activatedAt: at,
    },
    select: shown,
  });
}

/** Whether the label, or the place of the active deployment, went to somebody else in the same moment. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'P2002');
}

export async function hasVersion(
  transaction: Transaction,
  { agentId, environment }: Slot,
  version: string,
): Promise<boolean> {
  const found = await transaction.deployment.findUnique({
    where: { agentId_environment_version: { agentId, environment, version } },
    select: { id: true },
  });
  return found !== null;
}

export function findActive(
  transaction: Transaction,
  { agentId, environment }: Slot,
): Promise<StoredDeployment | null> {
  return transaction.deployment.findFirst({
    where: { agentId, environment, status: 'active' },
    select: shown,
  });
}

export function findDeployment(
  transaction: Transaction,
  agentId: string,
  id: string,
): Promise<StoredDeployment | null> {
  return transaction.deployment.findUnique({ where: { id, agentId }, select: shown });
}

export async function retire(
  transaction: Transaction,
  id: string,
  status: Exclude<DeploymentStatus, 'active'>,
): Promise<void> {
  await transaction.deployment.update({ where: { id }, data: { status } });
}

export function reactivate(
  transaction: Transaction,
  id: string,
  at: Date,
): Promise<StoredDeployment> {
  return transaction.deployment.update({
    where: { id },
    data: { status: 'active', activatedAt: at },
    select: shown,
  });
}

export interface DeploymentQuery {
  agentId: string;
  environment: string | undefined;
  status: DeploymentStatus | undefined;
  sort: 'created_at' | '-created_at' | 'version' | '-version';
  limit: number;
  offset: number;
}

const columns = { created_at: 'createdAt', version: 'version' } as const;

export async function listDeployments(
  { prisma }: Database,
  { agentId, environment, status, sort, limit, offset }: DeploymentQuery,
): Promise<{ items: StoredDeployment[]; total: number }> {
  const where: Prisma.DeploymentWhereInput = {
    agentId,
    ...(environment === undefined ? {} : { environment }),
    ...(status === undefined ? {} : { status }),
  };
  const { field, direction } = sortOf(sort);
  const [items, total] = await Promise.all([
    prisma.deployment.findMany({
      where,
      select: shown,
      orderBy: [{ [columns[field]]: direction }, { id: direction }],
      take: limit,
      skip: offset,
    }),
    prisma.deployment.count({ where }),
  ]);
  return { items, total };
}
