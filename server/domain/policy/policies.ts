/**
 * Finds and caches the policies of agents. Changes are announced and invalidate the entry on every instance; if the
 * notification is lost, or a file or secret has changed, the entry expires in less than a second.
 */
import { constraints } from '../../../generated/constraints.js';
import { createCache } from '../../lib/async/cache.js';
import { createFairQueue, inSlot } from '../../lib/async/fair-queue.js';
import type { AccountLimits } from '../../store/accounts/tiers.js';
import {
  createPolicyLookup,
  findPolicies,
  findPolicyAnywhere,
  type StoredPolicy,
} from '../../store/agents/policies.js';
import type { Database } from '../../store/postgres/database.js';
import { ServiceError } from '../errors.js';
import { compilePolicy } from './compile.js';
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

const ttlMs = 900;
const maxEntries = 10_000;
/** One account gets half of them. They precede the account's rate limit, and those of unknown agents are not cached. */
const concurrentLookups = 4;

const referencePattern = new RegExp(constraints.AgentReference.pattern);

export function createPolicyCache(
  database: Database,
  onInvalidSettings: OnInvalidSettings,
): PolicyCache {
  const cache = createCache<AgentPolicy>({ ttlMs, maxEntries });
  const findPolicy = createPolicyLookup(database);
  const lookups = createFairQueue(concurrentLookups);
  const cached = async (
    scope: string,
    reference: string,
    load: () => Promise<StoredPolicy | undefined>,
  ) => {
    // The reference is not validated yet, since policies are enforced before validation.
    if (!referencePattern.test(reference)) return undefined;
    return cache.get(`${scope} ${reference}`, async () => {
      const stored = await load();
      return stored && compileStored(stored, onInvalidSettings);
    });
  };
  return {
    find: (accountId, reference) =>
      cached(accountId, reference, () =>
        inSlot(lookups, accountId, () => findPolicy(accountId, reference)),
      ),
    findAll: async (accountId) =>
      Promise.all(
        (await findPolicies(database, accountId)).map((stored) =>
          compileStored(stored, onInvalidSettings),
        ),
      ),
    findAnywhere: (reference) =>
      cached('*', reference, () => findPolicyAnywhere(database, reference)),
    invalidateAgent: (agentId) => {
      cache.invalidateWhere((policy) => policy.agentId === agentId);
    },
    invalidateAccount: (accountId) => {
      cache.invalidateWhere((policy) => policy.accountId === accountId);
    },
    clear: () => {
      cache.clear();
    },
  };
}

async function compileStored(
  { settings, ...agent }: StoredPolicy,
  onInvalidSettings: OnInvalidSettings,
): Promise<AgentPolicy> {
  const compiled = await compilePolicy(settings);
  if ('policy' in compiled) return { ...agent, policy: compiled.policy };
  onInvalidSettings(
    agent.agentId,
    compiled.problems.map(({ field, error }) => `${field} ${error}`),
  );
  return { ...agent, policy: undefined };
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
