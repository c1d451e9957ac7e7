/** The scope of resources that belong to one agent or to the whole account, such as keys and webhooks. */
import type { AgentReference } from '../../generated/api.js';
import { isReferenceMissing } from '../postgres/errors.js';
import type { Database } from '../postgres/database.js';
import { agentNotFound, type Caller, maySee } from '../accounts/caller.js';
import { findAgent, getAgent } from './agents.js';

/** The agent of a new resource; null for the whole account. A caller scoped to an agent can create resources only for it. */
export async function resolveScope(
  database: Database,
  caller: Caller,
  reference: AgentReference | null,
): Promise<string | null> {
  if (reference === null) return caller.agentId;
  return (await getAgent(database, caller, reference)).id;
}

/** Reports the agent as missing if it was deleted between its lookup and the insert. */
export async function insertForAgent<Inserted>(
  agentId: string | null,
  insert: () => Promise<Inserted>,
): Promise<Inserted> {
  try {
    return await insert();
  } catch (error) {
    throw agentId !== null && isReferenceMissing(error) ? agentNotFound(agentId) : error;
  }
}

/** `agentId` is undefined for every agent; `none` if the filter matches no agent that the caller may see. */
type ListScope = { agentId: string | undefined } | 'none';

export async function resolveListScope(
  database: Database,
  caller: Caller,
  reference: AgentReference | undefined,
): Promise<ListScope> {
  if (reference === undefined) return { agentId: caller.agentId ?? undefined };
  const agent = await findAgent(database, { accountId: caller.accountId, reference });
  if (!agent || !maySee(caller, agent.id)) return 'none';
  return { agentId: agent.id };
}

export interface AgentScope {
  /** Undefined: those of every agent, and of the whole account. */
  agentId: string | undefined;
  /** Agents to leave out, unless one is asked for. */
  hiddenAgents?: readonly string[] | undefined;
}

export function scopeConditions({ agentId, hiddenAgents = [] }: AgentScope) {
  const hides = agentId === undefined && hiddenAgents.length > 0;
  return {
    'agent_id = ?': agentId,
    '(agent_id IS NULL OR agent_id <> ALL(?))': hides ? hiddenAgents : undefined,
  };
}
