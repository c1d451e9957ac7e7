/** The memory of an agent and parts of it, as statements select them. */
import type { Bind } from '../postgres/fragments.sql.js';

/** Which memory entries an agent has. */
export interface Memory {
  accountId: string;
  /** The `agent_id` of the entries. */
  memoryId: string;
  /** Entries of these users up to these epochs are cleared, though not deleted yet. */
  cleared: readonly { userId: string; epoch: number }[];
}

/** The part of a memory to search. */
export interface MemoryScope extends Memory {
  userId: string | undefined;
  sessionId: string | undefined;
}

/** A suffix for statement names, since the text depends on the scope. */
export function scopeName({ userId, sessionId, cleared }: MemoryScope): string {
  return [
    ...(userId === undefined ? [] : ['user']),
    ...(sessionId === undefined ? [] : ['session']),
    ...(cleared.length === 0 ? [] : ['uncleared']),
  ].join('_');
}

/** The `memory_id` of a row of agents: its own id, or after a clearing its id with the number of the clearing. */
export const memoryIdSql = (agent: string) => `coalesce(${agent}.memory_id, ${agent}.id)`;

/**
 * Leaves out cleared entries. Where there are none it is the entries as they are, so that it costs nothing and changes no
 * plan. Applied to what a limit has chosen, so that no search reads very many cleared entries to find others.
 */
export function uncleared({ cleared }: Memory, entries: string, bind: Bind): string {
  if (cleared.length === 0) return entries;
  const users = bind(cleared.map(({ userId }) => userId));
  const epochs = bind(cleared.map(({ epoch }) => epoch));
  return `
    SELECT * FROM (${entries}) AS entry
     WHERE NOT EXISTS (
       SELECT FROM unnest(${users}::text[], ${epochs}::int[]) AS cleared (user_id, epoch)
        WHERE cleared.user_id = entry.user_id AND entry.epoch <= cleared.epoch)`;
}

/**
 * The newest entries within the scope, newest first. The last column of the filter is given as a range and named in the order,
 * which leaves the index of these columns as the only one in that order. By an equality, where few agents have entries, the
 * planner would rather read the index of all ids backwards, through the entries of all other agents.
 */
export function newestEntries(scope: MemoryScope, count: number, bind: Bind): string {
  const conditions = inScope(scope, bind);
  const last = conditions.pop();
  const range = last ? [`${last.column} >= ${last.value}`, `${last.column} <= ${last.value}`] : [];
  const where = [...conditions.map(({ column, value }) => `${column} = ${value}`), ...range];
  const newest = `
    SELECT * FROM memory_entries WHERE ${where.join(' AND ')}
     ORDER BY ${last?.column} DESC, id DESC LIMIT ${bind(count)}`;
  return uncleared(scope, newest, bind);
}

/** The entries within the scope must have these values. */
export function inScope(
  { accountId, memoryId, userId, sessionId }: MemoryScope,
  bind: Bind,
): { column: string; value: string }[] {
  return [
    { column: 'account_id', value: bind(accountId) },
    { column: 'agent_id', value: bind(memoryId) },
    ...(sessionId === undefined ? [] : [{ column: 'session_id', value: bind(sessionId) }]),
    ...(userId === undefined ? [] : [{ column: 'user_id', value: bind(userId) }]),
  ];
}
