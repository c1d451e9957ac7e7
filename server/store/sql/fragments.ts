/** SQL fragments that several statements share. */
import { LogLevel } from '../../../generated/prisma/enums.js';

/** Adds a value to the parameters and returns its placeholder, such as `$3`. */
export type Bind = (value: unknown) => string;

/** Collects the parameters of a statement that is composed from parts. */
export function parameters(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/**
 * A CTE that makes the commit asynchronous, so that it does not wait for the disk. Only for leases: a crash of the
 * database may lose them, and then nothing is recorded of whoever held them. It cannot lose one and keep what was recorded
 * under it, since commits reach the disk in their order. Functions that use it take a Database and not a transaction,
 * because it would make the whole transaction's commit asynchronous.
 */
export const asyncCommit = `async_commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

const logLevels = Object.values(LogLevel);

/** The count columns of `usage_deltas` and `usage_rollups`. */
export const usageColumns = [
  'invocations',
  'failures',
  'duration_ms',
  'tokens',
  ...logLevels.map((level) => `logs_${level}`),
];

/**
 * Counts invocations and log entries per agent and minute. The rows have agent_id, at, duration, tokens and failed of an
 * invocation (null and false for a log entry), and the level of a log entry (null for an invocation). `-` subtracts.
 */
export const countUsage = (rows: string, sign: '' | '-' = '') => `
  INSERT INTO usage_deltas (agent_id, bucket_start, ${usageColumns.join(', ')})
  SELECT agent_id, date_bin('1 minute', at, 'epoch'), ${sign}count(duration), ${sign}count(*) FILTER (WHERE failed),
         ${sign}coalesce(sum(duration), 0), ${sign}coalesce(sum(tokens), 0),
         ${logLevels.map((level) => `${sign}count(*) FILTER (WHERE level = '${level}')`).join(', ')}
    FROM (${rows}) AS happened
   GROUP BY 1, 2`;

/** Log entries as rows for `countUsage`. */
export const loggedRows = (table: string) =>
  `SELECT agent_id, logged_at AS at, NULL::int AS duration, NULL::int AS tokens, false AS failed, level FROM ${table}`;

/** Reads a page and the total in one statement, so that both come from the same snapshot. */
export const pageWithTotal = (columns: string, total: string, page: string, order: string) => `
  SELECT counted.total, ${columns}
    FROM (${total}) AS counted
    LEFT JOIN (${page}) AS page ON true
   ORDER BY ${order}`;

/** Which memory entries an agent has. */
export interface Memory {
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
export const nextMemoryId = `id || '.' || memory_epoch + 1`;

/** Locks the agents of memories against deletion, except those that are being deleted. The ids are those of the memories. */
export const lockedMemories = (memoryIds: string) => `
  SELECT ${memoryIdSql('agents')} AS id FROM agents
   WHERE id IN (SELECT split_part(agent_id, '.', 1) FROM ${memoryIds}) FOR KEY SHARE SKIP LOCKED`;

/**
 * Leaves out cleared entries. Where there are none it is the entries as they are, so that it costs nothing and changes no
 * plan. Applied to what a limit has chosen, so that nobody reads through very many cleared entries to find others.
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
 * The newest entries, newest first: of the session if one is given. With only a user, the user's entries among the
 * agent's newest, since no index orders a user's entries by age.
 */
export function newestEntries(scope: MemoryScope, count: number, bind: Bind): string {
  const { memoryId, userId, sessionId } = scope;
  const memory = bind(memoryId);
  const limit = bind(count);
  const ofUser = userId === undefined ? '' : `WHERE user_id = ${bind(userId)}`;
  // Of an agent as a range, and in the order of both columns, which is that of the primary key alone. Where few agents have
  // entries, the planner would rather read the index of all ids backwards, through the entries of all others.
  const newest =
    sessionId === undefined
      ? `SELECT * FROM memory_entries WHERE agent_id >= ${memory} AND agent_id <= ${memory}
          ORDER BY agent_id DESC, id DESC LIMIT ${limit}`
      : `SELECT * FROM memory_entries WHERE agent_id = ${memory} AND session_id = ${bind(sessionId)}
          ORDER BY id DESC LIMIT ${limit}`;
  return `SELECT * FROM (${uncleared(scope, newest, bind)}) AS newest ${ofUser}`;
}

export interface IndexLookup {
  has: 'any' | 'all';
  words: readonly string[];
  /** The number of matches is unknown, so it is bounded. */
  limit: number;
  /** Only among so many of the newest entries. */
  newest?: number;
  /** Only from this id on: what it saves are partitions that end before. */
  since?: string | undefined;
}

/** Looks entries up by their keys in the GIN index. */
export function indexedEntries(scope: MemoryScope, lookup: IndexLookup, bind: Bind): string {
  const { memoryId, userId } = scope;
  const { has, words, limit, newest, since } = lookup;
  const memory = bind(memoryId);
  const wordKeys = () =>
    `ARRAY(SELECT memory_key(${memory}, 'word:', word) FROM unnest(${bind(words)}::text[]) AS word)`;
  const userKey = () => `ARRAY[memory_key(${memory}, 'user:', ${bind(userId)})]`;
  const oldest = (count: number) => `
    coalesce((SELECT id FROM memory_entries WHERE agent_id = ${memory}
               ORDER BY id DESC OFFSET ${bind(count - 1)} LIMIT 1), '')`;
  // An empty array of keys would match every entry.
  const keys = [
    ...(words.length === 0 ? [] : [`${has === 'any' ? '&&' : '@>'} ${wordKeys()}`]),
    ...(userId === undefined ? [] : [`@> ${userKey()}`]),
  ].map((condition) => `memory_keys(agent_id, user_id, search) ${condition}`);
  const recent = newest === undefined ? [] : [`agent_id = ${memory}`, `id >= ${oldest(newest)}`];
  // Said twice, so that the planner takes the word for as rare as it is, and does not read the index of all ids since then.
  const later = since === undefined ? [] : [...keys, `id >= ${bind(since)}`];
  const conditions = [...keys, ...recent, ...later].join(' AND ');
  const indexed = `SELECT * FROM memory_entries WHERE ${conditions} LIMIT ${limit}`;
  return `SELECT * FROM (${uncleared(scope, indexed, bind)}) AS indexed`;
}
