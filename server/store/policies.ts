/** The security settings of agents as in their manifests: secrets are references, not yet resolved. */
import type { Prisma } from '../../generated/prisma/client.js';
import { isId } from '../lib/typeid.js';
import type { AccountLimits } from '../lib/tiers.js';
import { storedLimits } from './accounts.js';
import { batched, restForCompany } from './batched.js';
import type { Connection, Queryable } from './connection.js';
import { objectOf } from './json.js';
import { type AgentOfAccount, findPoliciesBy } from './sql/policies-find.js';

export interface StoredPolicy {
  agentId: string;
  accountId: string;
  limits: AccountLimits;
  settings: object;
}

const shown = {
  id: true,
  accountId: true,
  policy: true,
  account: { select: { tier: true, caps: true } },
} as const;

/** Of one of the account's agents, by id or name. */
export type FindPolicy = (
  accountId: string,
  reference: string,
) => Promise<StoredPolicy | undefined>;

/**
 * Lookups share statements. A lookup takes part in a statement that begins after it: an agent may be created at any moment, here or
 * by another instance, and whoever created it must find it at once.
 */
export function createPolicyLookup(database: Queryable): FindPolicy {
  const by = { id: batchedLookup('id', database), name: batchedLookup('name', database) };
  return async (accountId, reference) => {
    const find = isId('agent', reference) ? by.id : by.name;
    return (await find({ accountId, reference })) ?? undefined;
  };
}

function batchedLookup(column: 'id' | 'name', database: Queryable) {
  const keyOf = ({ accountId, reference }: AgentOfAccount) => `${accountId} ${reference}`;
  return batched<AgentOfAccount, StoredPolicy | null>(
    async (wanted) => {
      const found = await findPoliciesBy(column, database, wanted);
      const policies = new Map(
        found.map((agent) => [
          keyOf(agent),
          stored({ ...agent, id: agent.agentId, account: agent }),
        ]),
      );
      return wanted.map((agent) => policies.get(keyOf(agent)) ?? null);
    },
    { restMs: restForCompany },
  );
}

/** Finds the policies of the account's agents that have any settings. */
export async function findPolicies(
  { prisma }: Connection,
  accountId: string,
): Promise<StoredPolicy[]> {
  const where = { accountId, NOT: { policy: { equals: {} } } };
  return (await prisma.agent.findMany({ where, select: shown })).map(stored);
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
  const [agent, another] = await prisma.agent.findMany({ where, select: shown, take: 2 });
  return agent && !another ? stored(agent) : undefined;
}

type Shown = Prisma.AgentGetPayload<{ select: typeof shown }>;

function stored({ id, accountId, policy, account }: Shown): StoredPolicy {
  const limits = storedLimits(account);
  return { agentId: id, accountId, limits, settings: objectOf(policy) ?? {} };
}
