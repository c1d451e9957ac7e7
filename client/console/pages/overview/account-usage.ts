/** Loads the usage of each agent of the account in a time range. */
import type { AgentHosting, AgentSummary } from '../../../src/index.js';
import { runInBackground } from '../../api/queue.js';
import { loadTotals, type Range, type Totals } from '../metrics/series.js';

export interface AgentUsage extends Totals {
  agent: AgentSummary;
}

export interface AccountUsage {
  /** The agents with the most traffic first. */
  agents: AgentUsage[];
  /** How many agents the account has. */
  total: number;
}

export const maxAgents = 50;
export const requestsPerAgent = 4;

/** For accounts with more agents, loads those that were changed most recently. */
export async function loadAccountUsage(
  client: AgentHosting,
  range: Range,
  signal: AbortSignal,
): Promise<AccountUsage> {
  const { data, pagination } = await client.agents.list(
    { sort: '-updated_at', limit: maxAgents },
    { signal },
  );
  const agents = await Promise.all(
    data.map((agent) =>
      runInBackground(
        async () => ({ agent, ...(await loadTotals(client, agent.id, range, signal)) }),
        signal,
      ),
    ),
  );
  return {
    agents: agents.sort((one, other) => other.invocations - one.invocations),
    total: pagination.total,
  };
}
