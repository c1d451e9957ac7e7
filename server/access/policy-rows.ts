/** Queries of agents' security settings, as their manifests define them: secrets are unresolved references. */
import type { Prisma } from '../../generated/prisma/client.js';
import { isId } from '../lib/data/typeid.js';
import type { AccountLimits } from '../accounts/tiers.js';
import { storedLimits } from '../accounts/accounts.js';
import type { Connection } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';

export interface StoredPolicy {
  agentId: string;
  accountId: string;
  limits: AccountLimits;
  settings: object;
}

const policyFields = {
  id: true,
  accountId: true,
  policy: true,
  account: { select: { tier: true, caps: true } },
} as const;

/** `reference` is the id or name of one of the account's agents. */
type FindPolicy = (accountId: string, reference: string) => Promise<StoredPolicy | undefined>;

export function createPolicyLookup({ prisma }: Connection): FindPolicy {
  return async (accountId, reference) => {
    const where = isId('agent', reference)
      ? { id: reference, accountId }
      : { accountId_name: { accountId, name: reference } };
    const agent = await prisma.agent.findUnique({ where, select: policyFields });
    return agent ? stored(agent) : undefined;
  };
}

/** Finds the policies of the account's agents, except empty ones. */
export async function findPolicies(
  { prisma }: Connection,
  accountId: string,
): Promise<StoredPolicy[]> {
  const where = { accountId, NOT: { policy: { equals: {} } } };
  return (await prisma.agent.findMany({ where, select: policyFields })).map(stored);
}

/**
 * Finds a policy across accounts, for a bearer token that names no account. A name matches only if it is unique in the
 * installation: a message must never reach another account's agent of the same name.
 */
export async function findPolicyAnywhere(
  { prisma }: Connection,
  reference: string,
): Promise<StoredPolicy | undefined> {
  const where = isId('agent', reference) ? { id: reference } : { name: reference };
  const [agent, another] = await prisma.agent.findMany({ where, select: policyFields, take: 2 });
  return agent && !another ? stored(agent) : undefined;
}

type PolicyRow = Prisma.AgentGetPayload<{ select: typeof policyFields }>;

function stored({ id, accountId, policy, account }: PolicyRow): StoredPolicy {
  const limits = storedLimits(account);
  return { agentId: id, accountId, limits, settings: objectOf(policy) ?? {} };
}
