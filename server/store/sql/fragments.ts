/** What several statements share, each written once. */
import { LogLevel } from '../../../generated/prisma/enums.js';

/** Gives a value its place in a statement, and returns that: `$3`. */
export type Bind = (value: unknown) => string;

/** Collects the values of a statement whose text is put together from parts. */
export function parameters(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/**
 * A common table expression that makes the commit asynchronous: it does not wait for the disk. For leases, which a crash
 * of the database may undo since they would end anyway. Functions with such a statement take a Database and no
 * transaction, all of whose commit it would make asynchronous.
 */
export const asyncCommit = `async_commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

const logLevels = Object.values(LogLevel);

/** What is counted in `usage_deltas` and `usage_rollups`. */
export const usageColumns = [
  'invocations',
  'failures',
  'duration_ms',
  ...logLevels.map((level) => `logs_${level}`),
];

/**
 * Counts what happened, under the agent and the minute. The rows have agent_id, at, duration and failed of an invocation
 * (null and false for a log entry), and the level of a log entry (null for an invocation). With a minus it takes back.
 */
export const countUsage = (rows: string, sign: '' | '-' = '') => `
  INSERT INTO usage_deltas (agent_id, bucket_start, ${usageColumns.join(', ')})
  SELECT agent_id, date_bin('1 minute', at, 'epoch'), ${sign}count(duration), ${sign}count(*) FILTER (WHERE failed),
         ${sign}coalesce(sum(duration), 0),
         ${logLevels.map((level) => `${sign}count(*) FILTER (WHERE level = '${level}')`).join(', ')}
    FROM (${rows}) AS happened
   GROUP BY 1, 2`;

/** Entries of a log, as rows for `countUsage`. */
export const loggedRows = (table: string) =>
  `SELECT agent_id, logged_at AS at, NULL::int AS duration, false AS failed, level FROM ${table}`;

/** Reads a page and the number of all that fit in one statement, so that they are of the same moment. */
export const pageWithTotal = (columns: string, total: string, page: string, order: string) => `
  SELECT counted.total, ${columns}
    FROM (${total}) AS counted
    LEFT JOIN (${page}) AS page ON true
   ORDER BY ${order}`;

/** Which part of an agent's memory is looked at. */
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
