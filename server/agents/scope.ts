/** Conditions on keys and webhooks, which belong to an agent or to the whole account. */

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
