/**
 * What runs when an agent is invoked, kept for less than a second: a change is announced, and then counts at once on every
 * instance.
 */
import { createCache } from '../../lib/async/cache.js';
import { type ActiveAgent, findActiveAgent } from '../../store/agents/agents.js';
import type { Database } from '../../store/postgres/database.js';

export interface AgentConfigurations {
  /** By the agent's id or its name, within an account. */
  find: (accountId: string, reference: string) => Promise<ActiveAgent | undefined>;
  /** Forgets what is known of an agent that changed. */
  forget: (agentId: string) => void;
  /** Forgets what is known of the agents of an account that changed. */
  forgetAccount: (accountId: string) => void;
  forgetAll: () => void;
}

const ttlMs = 900;
const maxEntries = 10_000;

export function createAgentConfigurations(database: Database): AgentConfigurations {
  const known = createCache<ActiveAgent>({ ttlMs, maxEntries });
  return {
    find: (accountId, reference) =>
      known.get(`${accountId} ${reference}`, () => findActiveAgent(database, accountId, reference)),
    forget: (agentId) => {
      known.invalidateWhere(({ id }) => id === agentId);
    },
    forgetAccount: (changed) => {
      known.invalidateWhere(({ accountId }) => accountId === changed);
    },
    forgetAll: () => {
      known.clear();
    },
  };
}
