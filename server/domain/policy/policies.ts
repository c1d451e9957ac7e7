/**
 * Finds and caches the policies of agents. Changes are announced and invalidate the entry on every instance; if the
 * notification is lost, or a file or secret has changed, the entry expires in less than a second. Policies that have not changed are not
 * compiled again.
 */
import { constraints } from '../../../generated/constraints.js';
import { createCache } from '../../lib/async/cache.js';
import { FairQueue } from '../../lib/async/fair-queue.js';
import type { AccountLimits } from '../../store/accounts/tiers.js';
import {
  createPolicyLookup,
  findPolicies,
  findPolicyAnywhere,
  type StoredPolicy,
} from '../../store/agents/policies.js';
import type { Database } from '../../store/postgres/database.js';
import { ServiceError } from '../errors.js';
import { createPolicyCompiler } from './compiler.js';
import type { Policy } from './policy.js';

export interface AgentPolicy {
  agentId: string;
  accountId: string;
  limits: AccountLimits;
  /** Undefined if the settings are invalid: every request is then rejected. */
  policy: Policy | undefined;
}

export interface PolicyCache {
  /** By the agent's id or name within the account; undefined if there is no such agent. */
  find: (accountId: string, reference: string) => Promise<AgentPolicy | undefined>;
  /** The policies of all agents of the account that have settings. */
  findAll: (accountId: string) => Promise<AgentPolicy[]>;
  /** Across accounts, by the agent's id, or by its name if no other agent has that name. */
  findAnywhere: (reference: string) => Promise<AgentPolicy | undefined>;
  invalidateAgent: (agentId: string) => void;
  invalidateAccount: (accountId: string) => void;
  clear: () => void;
}

/** `reasons` contain no secrets. */
type OnInvalidSettings = (agentId: string, reasons: string[]) => void;

/** The policies that were found for a reference, or for all of an account. */
interface Found {
  policies: AgentPolicy[];
  /** Set if they are all of this account. */
  accountId?: string;
}

const ttlMs = 900;
const maxEntries = 10_000;
/** One account gets half of them. They precede the account's rate limit, and those of unknown agents are not cached. */
const concurrentLookups = 4;

const referencePattern = new RegExp(constraints.AgentReference.pattern);

export function createPolicyCache(
  database: Database,
  onInvalidSettings: OnInvalidSettings,
): PolicyCache {
  const cache = createCache<Found>({ ttlMs, maxEntries });
  const compile = createPolicyCompiler((agentId, problems) => {
    onInvalidSettings(
      agentId,
      problems.map(({ field, error }) => `${field} ${error}`),
    );
  });
  const compiled = async ({ settings, ...agent }: StoredPolicy): Promise<AgentPolicy> => ({
    ...agent,
    policy: await compile(agent.agentId, settings),
  });
  const findPolicy = createPolicyLookup(database);
  const lookups = new FairQueue(concurrentLookups);
  const cached = async (
    scope: string,
    reference: string,
    load: () => Promise<StoredPolicy | undefined>,
  ) => {
    // The reference is not validated yet, since policies are enforced before validation.
    if (!referencePattern.test(reference)) return undefined;
    const found = await cache.get(`${scope} ${reference}`, async () => {
      const stored = await load();
      return stored && { policies: [await compiled(stored)] };
    });
    return found?.policies[0];
  };
  return {
    find: (accountId, reference) =>
      cached(accountId, reference, () =>
        lookups.run(accountId, () => findPolicy(accountId, reference)),
      ),
    findAll: async (accountId) => {
      const found = await cache.get(accountId, async () => {
        const stored = await findPolicies(database, accountId);
        return { accountId, policies: await Promise.all(stored.map(compiled)) };
      });
      return found?.policies ?? [];
    },
    findAnywhere: (reference) =>
      cached('*', reference, () => findPolicyAnywhere(database, reference)),
    invalidateAgent: (agentId) => {
      // The agent may have had no settings until now, so those of any account may be incomplete.
      cache.invalidateWhere(
        ({ accountId, policies }) =>
          accountId !== undefined || policies.some((policy) => policy.agentId === agentId),
      );
    },
    invalidateAccount: (id) => {
      cache.invalidateWhere(
        ({ accountId, policies }) =>
          accountId === id || policies.some((policy) => policy.accountId === id),
      );
    },
    clear: () => {
      cache.clear();
    },
  };
}

const retryAfter = 10;

export function requireCompiled({ policy }: AgentPolicy): Policy {
  if (policy) return policy;
  throw new ServiceError(
    'unavailable',
    `This agent's security settings cannot be evaluated, so all requests are rejected. The operator finds the reason in the log.`,
    { retryAfter },
  );
}
