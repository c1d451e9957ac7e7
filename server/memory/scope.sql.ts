/** SQL that finds the memory of an agent, and fragments that select it or a part of it. */
import { isId } from '../lib/data/typeid.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Bind } from '../postgres/fragments.sql.js';

/** Identifies the memory entries of an agent. */
export interface Memory {
  accountId: string;
  /** The `agent_id` of the entries. */
  memoryId: string;
}

/** The part of a memory to search. */
export interface MemoryScope extends Memory {
  userId: string | undefined;
  sessionId: string | undefined;
  /** Null: production. Undefined: every environment. */
  environment: string | null | undefined;
}

/** A suffix for statement names, since the text depends on the scope. */
export function scopeName({ userId, sessionId, environment }: MemoryScope): string {
  return [
    ...(userId === undefined ? [] : ['user']),
    ...(sessionId === undefined ? [] : ['session']),
    ...(environment === undefined ? [] : [environment === null ? 'production' : 'elsewhere']),
  ].join('_');
}

/** The memory id of an agent: the agent's id, with a suffix after a clearing. */
export const memoryIdSql = (agent: string) => `coalesce(${agent}.memory_id, ${agent}.id)`;

const findBy = (column: 'id' | 'name'): Statement => ({
  name: `agent_memory_by_${column}`,
  text: `
    SELECT a.id, a.account_id AS "accountId", ${memoryIdSql('a')} AS "memoryId"
      FROM agents a
     WHERE a.account_id = $1 AND a.${column} = $2`,
});

const findById = findBy('id');
const findByName = findBy('name');

/** Returns the agent's id and its current memory. */
export async function findAgentMemory(
  database: Queryable,
  accountId: string,
  reference: string,
): Promise<({ id: string } & Memory) | undefined> {
  const statement = isId('agent', reference) ? findById : findByName;
  const [found] = await database.run<{ id: string } & Memory>(statement, [accountId, reference]);
  return found;
}

/**
 * Selects the newest entries within the scope, newest first. The last filter column is a range and part of the order, so that only
 * the index on these columns provides that order. With an equality, the planner may read the index of all ids backwards, through
 * the entries of all other agents.
 */
export function newestEntries(scope: MemoryScope, count: number, bind: Bind): string {
  const conditions = columnsInScope(scope, bind);
  const last = conditions.pop();
  const range = last ? [`${last.column} >= ${last.value}`, `${last.column} <= ${last.value}`] : [];
  const where = [...conditions.map(equality), ...range, ...onlyProduction(scope)];
  return `
    SELECT * FROM memory_entries WHERE ${where.join(' AND ')}
     ORDER BY ${last?.column} DESC, id DESC LIMIT ${bind(count)}`;
}

/** The condition of entries within the scope. */
export function inScope(scope: MemoryScope, bind: Bind): string {
  return [...columnsInScope(scope, bind).map(equality), ...onlyProduction(scope)].join(' AND ');
}

interface ColumnValue {
  column: string;
  value: string;
}

const equality = ({ column, value }: ColumnValue) => `${column} = ${value}`;

const onlyProduction = ({ environment }: MemoryScope) =>
  environment === null ? ['environment IS NULL'] : [];

function columnsInScope(
  { accountId, memoryId, userId, sessionId, environment }: MemoryScope,
  bind: Bind,
): ColumnValue[] {
  return [
    { column: 'account_id', value: bind(accountId) },
    { column: 'agent_id', value: bind(memoryId) },
    ...(sessionId === undefined ? [] : [{ column: 'session_id', value: bind(sessionId) }]),
    ...(userId === undefined ? [] : [{ column: 'user_id', value: bind(userId) }]),
    ...(typeof environment === 'string'
      ? [{ column: 'environment', value: bind(environment) }]
      : []),
  ];
}
