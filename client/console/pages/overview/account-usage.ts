/** What each agent of the account did in a range of time, by the metrics of the agents. */
import type { AgentHosting, AgentSummary } from '../../../src/index.js';
import { inBackground } from '../../api/queue.js';
import { loadTotals, type Range, type Totals } from '../metrics/series.js';

export interface AgentUsage extends Totals {
  agent: AgentSummary;
}

export interface AccountUsage {
  /** Those with most traffic first. */
  agents: AgentUsage[];
  /** How many agents the account has. */
  total: number;
}

/** Each takes up to four requests. */
export const maxAgents = 50;
export const requestsPerAgent = 4;

/** Accounts with more agents show those that were changed last. */
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
      inBackground(
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
