/** The scope of resources that belong to one agent or to the whole account, such as keys and webhooks. */
import type { AgentReference } from '../../generated/api.js';
import { findAgent } from './agent-rows.js';
import { isReferenceMissing } from '../postgres/errors.js';
import type { Database } from '../postgres/database.js';
import { agentNotFound, type Caller, maySee } from '../accounts/caller.js';
import { getAgent } from './agents.js';

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
  const agent = await findAgent(database, caller.accountId, reference);
  if (!agent || !maySee(caller, agent.id)) return 'none';
  return { agentId: agent.id };
}
