/** The agents of the database. Every query names the account, so that no other account's agent is ever found. */
import { isId } from '../lib/typeid.js';
import type { Transaction } from './database.js';
import { sortOf } from './sorting.js';
import type { Sql, Statement } from './sql.js';

export interface StoredAgent {
  id: string;
  name: string;
  status: 'running' | 'stopped';
  model: string;
  temperature: number;
  hasEndpoint: boolean;
  activeDeploymentId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const byId: Statement = select('agent_by_id', 'id');
const byName: Statement = select('agent_by_name', 'name');

function select(name: string, column: 'id' | 'name'): Statement {
  return {
    name,
    text: `
      SELECT a.id, a.name, a.status, a.model, a.temperature, a.endpoint IS NOT NULL AS "hasEndpoint",
             d.id AS "activeDeploymentId", a.created_at AS "createdAt", a.updated_at AS "updatedAt"
      FROM agents a
      LEFT JOIN deployments d ON d.agent_id = a.id AND d.environment = 'production' AND d.status = 'active'
      WHERE a.account_id = $1 AND a.${column} = $2`,
  };
}

/** Finds an agent by its id or its name. */
export async function findAgent(
  sql: Sql,
  accountId: string,
  reference: string,
): Promise<StoredAgent | undefined> {
  const statement = isId('agent', reference) ? byId : byName;
  const [agent] = await sql.run<StoredAgent>(statement, [accountId, reference]);
  return agent;
}

export interface AgentQuery {
  accountId: string;
  id: string | undefined;
  status: 'running' | 'stopped' | undefined;
  name: string | undefined;
  sort: 'created_at' | '-created_at' | 'updated_at' | '-updated_at' | 'name' | '-name';
  limit: number;
  offset: number;
}

export type AgentListing = Pick<StoredAgent, 'id' | 'name' | 'status' | 'createdAt'>;

export async function listAgents(
  sql: Sql,
  { accountId, id, status, name, sort, limit, offset }: AgentQuery,
): Promise<{ items: AgentListing[]; total: number }> {
  const filters = Object.entries({ account_id: accountId, id, status, name }).filter(
    ([, value]) => value !== undefined,
  );
  const statement = pageStatement(
    sort,
    filters.map(([column]) => column),
  );
  const values = [...filters.map(([, value]) => value), limit, offset];
  const rows = await sql.run<Partial<AgentListing> & { total: number }>(statement, values);
  return {
    items: rows.flatMap(({ id, name, status, createdAt }) =>
      id && name && status && createdAt ? [{ id, name, status, createdAt }] : [],
    ),
    total: rows[0]?.total ?? 0,
  };
}

/** The page and the number of all that fit are read together, so that they are of the same moment. */
function pageStatement(sort: AgentQuery['sort'], filters: string[]): Statement {
  const { field, direction } = sortOf(sort);
  const order = `${field} ${direction}, id ${direction}`;
  const fitting = filters.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
  return {
    name: `agents_by_${field}_${direction}_of_${filters.join('_')}`,
    text: `
      SELECT counted.total, id, name, status, created_at AS "createdAt"
      FROM (SELECT count(*)::int AS total FROM agents WHERE ${fitting}) AS counted
      LEFT JOIN (
        SELECT * FROM agents WHERE ${fitting}
        ORDER BY ${order} LIMIT $${filters.length + 1} OFFSET $${filters.length + 2}
      ) AS page ON true
      ORDER BY ${order}`,
  };
}

export interface AgentChanges {
  model?: string;
  temperature?: number;
}

export async function updateAgent(
  transaction: Transaction,
  id: string,
  changes: AgentChanges,
): Promise<boolean> {
  const { count } = await transaction.agent.updateMany({ where: { id }, data: changes });
  return count === 1;
}

/** Everything that belongs to the agent goes with it, by foreign keys and a trigger. */
export async function deleteAgent(transaction: Transaction, id: string): Promise<boolean> {
  const { count } = await transaction.agent.deleteMany({ where: { id } });
  return count === 1;
}

export async function setStatus(
  transaction: Transaction,
  id: string,
  status: StoredAgent['status'],
): Promise<void> {
  await transaction.agent.updateMany({ where: { id }, data: { status } });
}
