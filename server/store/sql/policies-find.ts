/**
 * Finds the security settings of agents by pairs of an account and a name, or an account and an id.
 * Why SQL: one statement for the lookups of many requests, whose accounts differ; Prisma has no condition on pairs.
 */
import type { Prisma } from '../../../generated/prisma/client.js';
import type { Tier } from '../../lib/tiers.js';
import type { Queryable, Statement } from '../connection.js';

export interface AgentOfAccount {
  accountId: string;
  /** Its id or its name. */
  reference: string;
}

export interface FoundPolicy extends AgentOfAccount {
  agentId: string;
  policy: Prisma.JsonValue;
  tier: Tier;
  caps: Prisma.JsonValue;
}

/** Returns those that exist, in any order. */
export async function findPoliciesBy(
  column: 'id' | 'name',
  database: Queryable,
  wanted: readonly AgentOfAccount[],
): Promise<FoundPolicy[]> {
  const accounts = wanted.map(({ accountId }) => accountId);
  const references = wanted.map(({ reference }) => reference);
  return database.run<FoundPolicy>(statements[column], [accounts, references]);
}

const statements = { id: findBy('id'), name: findBy('name') };

function findBy(column: 'id' | 'name'): Statement {
  return {
    name: `policies_by_${column}`,
    text: `
      SELECT agent.account_id AS "accountId", agent.${column} AS reference, agent.id AS "agentId", agent.policy,
             account.tier, account.caps
        FROM unnest($1::text[], $2::text[]) AS wanted (account_id, reference)
        JOIN agents agent ON agent.account_id = wanted.account_id AND agent.${column} = wanted.reference
        JOIN accounts account ON account.id = agent.account_id`,
  };
}
