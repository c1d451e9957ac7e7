/**
 * Finds the policy of an agent, and keeps it for less than a second: a change that is announced counts at once on every
 * instance, and one whose announcement is lost, or that was made to a file or secret, counts within that time.
 */
import { createCache } from '../../lib/cache.js';
import type { Tier } from '../../lib/tiers.js';
import { findPolicy, findPolicyAnywhere, type StoredPolicy } from '../../store/policies.js';
import type { Database } from '../../store/database.js';
import { ServiceError } from '../errors.js';
import { compilePolicy } from './compile.js';
import type { Policy } from './policy.js';

/** What stands in front of an agent. */
export interface AgentPolicy {
  agentId: string;
  accountId: string;
  tier: Tier;
  /** Undefined: its settings cannot be evaluated, so nobody passes. */
  policy: Policy | undefined;
}

export interface PolicyCache {
  /** Of an agent of that account, by its id or name; undefined if there is no such agent. */
  find: (accountId: string, reference: string) => Promise<AgentPolicy | undefined>;
  /** Of an agent of whichever account, by its id, or by a name that no other agent has. */
  findAnywhere: (reference: string) => Promise<AgentPolicy | undefined>;
  forgetAgent: (agentId: string) => void;
  forgetAccount: (accountId: string) => void;
  forgetAll: () => void;
}

/** Told why settings cannot be evaluated, in words that hold no secret. */
export type OnBroken = (agentId: string, reasons: string[]) => void;

const keptMs = 900;
const maxKept = 10_000;

/** The contract says more precisely what a reference is; this much is needed before it has been held against that. */
const referenceForm = /^[\w-]{1,64}$/;

export function createPolicyCache(database: Database, onBroken: OnBroken): PolicyCache {
  const known = createCache<AgentPolicy>({ ttlMs: keptMs, maxEntries: maxKept });
  const keep = async (
    scope: string,
    reference: string,
    load: () => Promise<StoredPolicy | undefined>,
  ) => {
    if (!referenceForm.test(reference)) return undefined;
    return known.get(`${scope} ${reference}`, async () => {
      const stored = await load();
      return stored && compileStored(stored, onBroken);
    });
  };
  return {
    find: (accountId, reference) =>
      keep(accountId, reference, () => findPolicy(database, accountId, reference)),
    findAnywhere: (reference) =>
      keep('*', reference, () => findPolicyAnywhere(database, reference)),
    forgetAgent: (agentId) => {
      known.invalidateWhere((known) => known.agentId === agentId);
    },
    forgetAccount: (accountId) => {
      known.invalidateWhere((known) => known.accountId === accountId);
    },
    forgetAll: () => {
      known.clear();
    },
  };
}

async function compileStored(
  { settings, ...agent }: StoredPolicy,
  onBroken: OnBroken,
): Promise<AgentPolicy> {
  const compiled = await compilePolicy(settings);
  if ('policy' in compiled) return { ...agent, policy: compiled.policy };
  onBroken(
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
    `This agent's security settings cannot be evaluated, so nothing is let in. Its operator finds the reason in the log.`,
    { retryAfter },
  );
}
