/**
 * Finds and caches the policies of agents. A file or secret that they refer to takes effect when the entry expires, in less than a
 * second. Policies that have not changed are not compiled again.
 */
import { constraints } from '../../generated/constraints.js';
import { FairQueue } from '../lib/async/fair-queue.js';
import { isId } from '../lib/data/typeid.js';
import type { AccountLimits } from '../accounts/tiers.js';
import {
  createPolicyLookup,
  findPolicies,
  findPolicyAnywhere,
  type StoredPolicy,
} from './policy-rows.js';
import type { Database } from '../postgres/database.js';
import { ServiceError } from '../contract/errors.js';
import { TenantCache } from '../accounts/tenant-cache.js';
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
  cache: TenantCache<Found>;
}

/** `reasons` contain no secrets. */
type OnInvalidSettings = (agentId: string, reasons: string[]) => void;

/** The policies that were found for a reference, or for all of an account. */
interface Found {
  policies: AgentPolicy[];
  /** Set if they are all of this account. */
  accountId?: string;
}

/** One account gets half of them. They precede the account's rate limit, and those of unknown agents are not cached. */
const concurrentLookups = 4;

const referencePattern = new RegExp(constraints.AgentReference.pattern);

export function createPolicyCache(
  database: Database,
  onInvalidSettings: OnInvalidSettings,
): PolicyCache {
  const cache = new TenantCache<Found>({ dependsOn });
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
    cache,
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
  };
}

function dependsOn({ accountId, policies }: Found, id: string): boolean {
  // The agent may have had no settings until now, so those of any account may be incomplete.
  if (accountId !== undefined && isId('agent', id)) return true;
  return accountId === id || policies.some((one) => one.agentId === id || one.accountId === id);
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
