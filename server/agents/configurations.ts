/** Finds and caches the active configuration of agents. */
import { type ActiveAgent, findActiveAgent } from './agent-rows.js';
import type { Database } from '../postgres/database.js';
import { TenantCache } from '../accounts/tenant-cache.js';

export interface AgentConfigurations {
  /** By the agent's id or name within the account. */
  find: (accountId: string, reference: string) => Promise<ActiveAgent | undefined>;
  cache: TenantCache<ActiveAgent>;
}

export function createAgentConfigurations(database: Database): AgentConfigurations {
  const cache = new TenantCache<ActiveAgent>({
    dependsOn: (agent, id) => agent.id === id || agent.accountId === id,
  });
  return {
    cache,
    find: (accountId, reference) =>
      cache.get(`${accountId} ${reference}`, () => findActiveAgent(database, accountId, reference)),
  };
}
