/** Conditions on keys and webhooks, which belong to an agent or to the whole account. */

export interface AgentScope {
  /** Undefined: those of every agent, and of the whole account. */
  agentId: string | undefined;
  /** Agents to leave out, unless one is asked for. */
  hiddenAgents?: readonly string[] | undefined;
}

export function inScope({ agentId, hiddenAgents = [] }: AgentScope) {
  if (agentId !== undefined) return { agentId };
  if (hiddenAgents.length === 0) return {};
  return { OR: [{ agentId: null }, { agentId: { notIn: [...hiddenAgents] } }] };
}
