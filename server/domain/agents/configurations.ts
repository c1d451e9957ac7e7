/**
 * Caches the active configuration of agents. Changes are announced and invalidate the entry on every instance; if the notification
 * is lost, the entry expires in less than a second.
 */
import { createCache } from '../../lib/async/cache.js';
import { type ActiveAgent, findActiveAgent } from '../../store/agents/agents.js';
import type { Database } from '../../store/postgres/database.js';

export interface AgentConfigurations {
  /** By the agent's id or name within the account. */
  find: (accountId: string, reference: string) => Promise<ActiveAgent | undefined>;
  invalidateAgent: (agentId: string) => void;
  invalidateAccount: (accountId: string) => void;
  clear: () => void;
}

const ttlMs = 900;
const maxEntries = 10_000;

export function createAgentConfigurations(database: Database): AgentConfigurations {
  const cache = createCache<ActiveAgent>({ ttlMs, maxEntries });
  return {
    find: (accountId, reference) =>
      cache.get(`${accountId} ${reference}`, () => findActiveAgent(database, accountId, reference)),
    invalidateAgent: (agentId) => {
      cache.invalidateWhere((agent) => agent.id === agentId);
    },
    invalidateAccount: (accountId) => {
      cache.invalidateWhere((agent) => agent.accountId === accountId);
    },
    clear: () => {
      cache.clear();
    },
  };
}
