/** What belongs to one agent or to the whole account: whose a new thing is, and whose things a list shows. */
import type { AgentReference } from '../../../generated/api.js';
import { findAgent } from '../../store/agents.js';
import { isReferenceMissing } from '../../store/errors.js';
import type { Database } from '../../store/database.js';
import { agentNotFound, type Caller, assertVisible } from '../caller.js';

/** A caller that is scoped to an agent makes things of that agent alone. Null: of the whole account. */
export async function scopeOfNew(
  database: Database,
  caller: Caller,
  reference: AgentReference | null,
): Promise<string | null> {
  if (reference === null) return caller.agentId;
  const agent = await findAgent(database, caller.accountId, reference);
  if (!agent) throw agentNotFound(reference);
  assertVisible(caller, agent.id, reference);
  return agent.id;
}

/** Makes a thing of an agent that was found a moment ago, and may have been deleted since. */
export async function makeForAgent<Made>(
  agentId: string | null,
  make: () => Promise<Made>,
): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    throw agentId !== null && isReferenceMissing(error) ? agentNotFound(agentId) : error;
  }
}

export type ListScope = { agentId: string | undefined } | 'nothing';

/** Whose things a caller gets to see: of every agent, of one, or none because the filter leads nowhere. */
export async function scopeOfList(
  database: Database,
  caller: Caller,
  reference: AgentReference | undefined,
): Promise<ListScope> {
  if (reference === undefined) return { agentId: caller.agentId ?? undefined };
  const agent = await findAgent(database, caller.accountId, reference);
  if (!agent || (caller.agentId !== null && caller.agentId !== agent.id)) return 'nothing';
  return { agentId: agent.id };
}
