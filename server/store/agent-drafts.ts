/** The draft configuration of agents, as manifests decide it. */
import { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from './database.js';

export interface AgentDraft {
  model: string;
  temperature: number;
  instructions: string;
  timeoutMs: number;
  historyLimit: number;
  endpoint: object | null;
  policy: object;
}

export type NewAgent = Partial<AgentDraft> & {
  id: string;
  accountId: string;
  name: string;
  model: string;
};

export async function insertAgent(
  transaction: Transaction,
  { endpoint = null, policy = {}, ...agent }: NewAgent,
): Promise<void> {
  await transaction.agent.create({ data: { ...agent, ...jsonColumns({ endpoint, policy }) } });
}

/** Locks the agent until the transaction ends, so that what was compared is what is changed. Invocations go on. */
export async function findDraft(
  transaction: Transaction,
  accountId: string,
  name: string,
): Promise<(AgentDraft & { id: string }) | undefined> {
  await transaction.$queryRaw`SELECT FROM agents WHERE account_id = ${accountId} AND name = ${name} FOR NO KEY UPDATE`;
  const agent = await transaction.agent.findUnique({
    where: { accountId_name: { accountId, name } },
    select: {
      id: true,
      model: true,
      temperature: true,
      instructions: true,
      timeoutMs: true,
      historyLimit: true,
      endpoint: true,
      policy: true,
    },
  });
  if (!agent) return undefined;
  return { ...agent, endpoint: asObject(agent.endpoint), policy: asObject(agent.policy) ?? {} };
}

export async function replaceDraft(
  transaction: Transaction,
  id: string,
  { endpoint, policy, ...draft }: AgentDraft,
): Promise<void> {
  await transaction.agent.update({
    where: { id },
    data: { ...draft, ...jsonColumns({ endpoint, policy }) },
  });
}

/** Prisma tells the database's null from JSON's; a missing endpoint is the database's. */
function jsonColumns({ endpoint, policy }: Pick<AgentDraft, 'endpoint' | 'policy'>) {
  return { endpoint: endpoint ? { ...endpoint } : Prisma.DbNull, policy: { ...policy } };
}

function asObject(value: Prisma.JsonValue): object | null {
  return typeof value === 'object' ? value : null;
}
