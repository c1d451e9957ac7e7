/** The agents of the database. Every query names the account, so that no other account's agent is ever found. */
import type { Prisma } from '../../generated/prisma/client.js';
import { isId } from '../lib/typeid.js';
import type { Database, Transaction } from './database.js';
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

const columns = { created_at: 'createdAt', updated_at: 'updatedAt', name: 'name' } as const;

export type AgentListing = Pick<StoredAgent, 'id' | 'name' | 'status' | 'createdAt'>;

export async function listAgents(
  { prisma }: Database,
  { accountId, id, status, name, sort, limit, offset }: AgentQuery,
): Promise<{ items: AgentListing[]; total: number }> {
  const where: Prisma.AgentWhereInput = {
    accountId,
    ...(id === undefined ? {} : { id }),
    ...(status === undefined ? {} : { status }),
    ...(name === undefined ? {} : { name }),
  };
  const { field, direction } = sortOf(sort);
  const [items, total] = await Promise.all([
    prisma.agent.findMany({
      where,
      select: { id: true, name: true, status: true, createdAt: true },
      orderBy: [{ [columns[field]]: direction }, { id: direction }],
      take: limit,
      skip: offset,
    }),
    prisma.agent.count({ where }),
  ]);
  return { items, total };
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

/** Everything that belongs to the agent goes with it, by the foreign keys. */
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
