/** Which part of an agent's memory is looked at, and the newest entries of it. */
import type { Bind } from './sql.js';

export interface MemoryScope {
  agentId: string;
  userId: string | undefined;
  sessionId: string | undefined;
}

/** For the names of statements, whose text depends on it. */
export function scopeName({ userId, sessionId }: MemoryScope): string {
  return [
    ...(userId === undefined ? [] : ['user']),
    ...(sessionId === undefined ? [] : ['session']),
  ].join('_');
}

/**
 * So many of the newest entries, newest first. With a session they are the session's; with a user alone they are what is
 * the user's among the agent's newest ones, since no index leads from a user to the newest entries.
 */
export function newestEntries(
  { agentId, userId, sessionId }: MemoryScope,
  number: number,
  bind: Bind,
): string {
  const agent = bind(agentId);
  const limit = bind(number);
  const ofUser = userId === undefined ? '' : `WHERE user_id = ${bind(userId)}`;
  const newest =
    sessionId === undefined
      ? `SELECT * FROM memory_entries WHERE agent_id = ${agent} ORDER BY id DESC LIMIT ${limit}`
      : `SELECT * FROM memory_entries WHERE agent_id = ${agent} AND session_id = ${bind(sessionId)}
          ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  return `SELECT * FROM (${newest}) AS newest ${ofUser}`;
}

/** Entries by their keys in the index. How many there are is not known before, so no more than `limit` are read. */
export function indexedEntries(
  { agentId, userId }: MemoryScope,
  { has, words, limit }: { has: 'any' | 'all'; words: readonly string[]; limit: number },
  bind: Bind,
): string {
  const agent = bind(agentId);
  const wordKeys = () =>
    `ARRAY(SELECT memory_key(${agent}, 'word:', word) FROM unnest(${bind(words)}::text[]) AS word)`;
  const userKey = () => `ARRAY[memory_key(${agent}, 'user:', ${bind(userId)})]`;
  // An empty list of keys would match everything.
  const conditions = [
    ...(words.length === 0 ? [] : [`${has === 'any' ? '&&' : '@>'} ${wordKeys()}`]),
    ...(userId === undefined ? [] : [`@> ${userKey()}`]),
  ].map((condition) => `memory_keys(agent_id, user_id, search) ${condition}`);
  return `
    SELECT id, agent_id, user_id, search FROM memory_entries WHERE ${conditions.join(' AND ')} LIMIT ${limit}`;
}
