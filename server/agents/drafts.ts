/** The draft configuration of agents, which manifests define. */
import { Prisma } from '../../generated/prisma/client.js';
import type { Budget } from '../../generated/manifest.js';
import type { AgentOptions } from '../contract/agent-options.js';
import { announceChanges } from '../postgres/changes.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { jsonOf, objectOf } from '../postgres/json.js';
import { currentDate } from '../lib/time/clock.js';

export interface AgentDraft {
  model: string;
  /** Null: none is sent to the model. */
  temperature: number | null;
  instructions: string;
  timeoutMs: number;
  historyLimit: number;
  endpoint: object | null;
  options: AgentOptions;
  budget: Budget | null;
  policy: object;
}

export type NewAgent = Partial<AgentDraft> & {
  id: string;
  accountId: string;
  name: string;
  model: string;
};

export async function insertAgent(
  { prisma }: Connection,
  { endpoint = null, options = {}, budget = null, policy = {}, ...agent }: NewAgent,
): Promise<void> {
  const columns = jsonColumns({ endpoint, options, budget, policy });
  const createdAt = currentDate();
  await prisma.agent.create({
    data: { ...agent, ...columns, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
}

type FoundDraft = AgentDraft & { id: string };

export async function findDraft(
  { prisma }: Connection,
  accountId: string,
  name: string,
): Promise<FoundDraft | undefined> {
  const agent = await prisma.agent.findUnique({
    where: { accountId_name: { accountId, name } },
    select: {
      id: true,
      model: true,
      temperature: true,
      instructions: true,
      timeoutMs: true,
      historyLimit: true,
      endpoint: true,
      options: true,
      budget: true,
      policy: true,
    },
  });
  if (!agent) return undefined;
  return {
    ...agent,
    endpoint: objectOf(agent.endpoint),
    // Needs no validation: it was validated against the manifest schema when it was written.
    options: objectOf(agent.options) ?? {},
    budget: objectOf(agent.budget) as Budget | null,
    policy: objectOf(agent.policy) ?? {},
  };
}

export async function replaceDraft(
  transaction: Transaction,
  id: string,
  { endpoint, options, budget, policy, ...draft }: AgentDraft,
): Promise<void> {
  await transaction.prisma.agent.update({
    where: { id },
    data: {
      ...draft,
      ...jsonColumns({ endpoint, options, budget, policy }),
      updatedAt: currentDate(),
    },
    select: { id: true },
  });
  await announceChanges(transaction, [id]);
}

type JsonColumn = 'endpoint' | 'options' | 'budget' | 'policy';

/** Prisma distinguishes SQL NULL from JSON null; missing values are SQL NULL. */
function jsonColumns({ endpoint, options, budget, policy }: Pick<AgentDraft, JsonColumn>) {
  return {
    endpoint: endpoint ? { ...endpoint } : Prisma.DbNull,
    options: jsonOf(options),
    budget: budget ? { ...budget } : Prisma.DbNull,
    policy: { ...policy },
  };
}
