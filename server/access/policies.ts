/**
 * Finds and caches the policies of agents. A file or secret that they refer to takes effect when the entry expires, in less than a
 * second. Policies that have not changed are not compiled again.
 */
import { constraints } from '../../generated/constraints.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { storedLimits } from '../accounts/accounts.js';
import { TenantCache } from '../accounts/tenant-cache.js';
import type { AccountLimits } from '../accounts/tiers.js';
import { ServiceError } from '../contract/errors.js';
import { FairQueue } from '../lib/async/fair-queue.js';
import { isId } from '../lib/data/typeid.js';
import type { Connection, Database } from '../postgres/database.js';
import { objectOf } from '../postgres/json.js';
import { createPolicyCompiler } from './compile.js';
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
  const compiled = async ({ id, accountId, policy, account }: PolicyRow): Promise<AgentPolicy> => ({
    agentId: id,
    accountId,
    limits: storedLimits(account),
    policy: await compile(id, objectOf(policy) ?? {}),
  });
  const lookups = new FairQueue(concurrentLookups);
  const cached = async (
    scope: string,
    reference: string,
    load: () => Promise<PolicyRow | null>,
  ) => {
    // The reference is not validated yet, since policies are enforced before validation.
    if (!referencePattern.test(reference)) return undefined;
    const found = await cache.get(`${scope} ${reference}`, async () => {
      const agent = await load();
      return agent ? { policies: [await compiled(agent)] } : undefined;
    });
    return found?.policies[0];
  };
  return {
    cache,
    find: (accountId, reference) =>
      cached(accountId, reference, () =>
        lookups.run(accountId, () => findPolicy(database, { accountId, reference })),
      ),
    findAll: async (accountId) => {
      const found = await cache.get(accountId, async () => {
        const agents = await findPolicies(database, accountId);
        return { accountId, policies: await Promise.all(agents.map(compiled)) };
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

/** The security settings as manifests define them: secrets are unresolved references. */
const policyFields = {
  id: true,
  accountId: true,
  policy: true,
  account: { select: { tier: true, caps: true } },
} as const;
type PolicyRow = Prisma.AgentGetPayload<{ select: typeof policyFields }>;

function findPolicy(
  { prisma }: Connection,
  { accountId, reference }: { accountId: string; reference: string },
): Promise<PolicyRow | null> {
  const where = isId('agent', reference)
    ? { id: reference, accountId }
    : { accountId_name: { accountId, name: reference } };
  return prisma.agent.findUnique({ where, select: policyFields });
}

/** Finds the policies of the account's agents, except empty ones. */
function findPolicies({ prisma }: Connection, accountId: string): Promise<PolicyRow[]> {
  const where = { accountId, NOT: { policy: { equals: {} } } };
  return prisma.agent.findMany({ where, select: policyFields });
}

/**
 * Finds a policy across accounts, for a bearer token that names no account. A name matches only if it is unique in the
 * installation: a message must never reach another account's agent of the same name.
 */
async function findPolicyAnywhere(
  { prisma }: Connection,
  reference: string,
): Promise<PolicyRow | null> {
  const where = isId('agent', reference) ? { id: reference } : { name: reference };
  const [agent, another] = await prisma.agent.findMany({ where, select: policyFields, take: 2 });
  return agent && !another ? agent : null;
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
