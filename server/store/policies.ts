/** The security settings of agents, as their manifests have them: secrets are references, nothing is read yet. */
import { isId } from '../lib/typeid.js';
import type { Tier } from '../lib/tiers.js';
import type { Sql, Statement } from './sql.js';

export interface StoredPolicy {
  agentId: string;
  accountId: string;
  tier: Tier;
  settings: object;
}

const columns = `a.id AS "agentId", a.account_id AS "accountId", c.tier, a.policy AS settings`;
const source = 'agents a JOIN accounts c ON c.id = a.account_id';

const byId: Statement = {
  name: 'policy_by_id',
  text: `SELECT ${columns} FROM ${source} WHERE a.account_id = $1 AND a.id = $2`,
};

const byName: Statement = {
  name: 'policy_by_name',
  text: `SELECT ${columns} FROM ${source} WHERE a.account_id = $1 AND a.name = $2`,
};

/** Of an agent of that account, by its id or name. */
export async function findPolicy(
  sql: Sql,
  accountId: string,
  reference: string,
): Promise<StoredPolicy | undefined> {
  const statement = isId('agent', reference) ? byId : byName;
  const [policy] = await sql.run<StoredPolicy>(statement, [accountId, reference]);
  return policy;
}

const anywhereById: Statement = {
  name: 'policy_anywhere_by_id',
  text: `SELECT ${columns} FROM ${source} WHERE a.id = $1`,
};

const anywhereByName: Statement = {
  name: 'policy_anywhere_by_name',
  text: `SELECT ${columns} FROM ${source} WHERE a.name = $1 LIMIT 2`,
};

/**
 * Of an agent of whichever account, for a bearer that says nothing of one. A name is good only while one agent of the
 * installation has it: a message must never reach another account's agent of the same name.
 */
export async function findPolicyAnywhere(
  sql: Sql,
  reference: string,
): Promise<StoredPolicy | undefined> {
  const statement = isId('agent', reference) ? anywhereById : anywhereByName;
  const [policy, another] = await sql.run<StoredPolicy>(statement, [reference]);
  return another === undefined ? policy : undefined;
}
