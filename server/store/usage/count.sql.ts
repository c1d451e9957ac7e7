/** How statements count invocations and log entries. */
import { LogLevel } from '../../../generated/prisma/enums.js';

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
 * Counts invocations and log entries of one account per agent and minute. The rows have id, agent_id, at, duration, tokens and failed
 * of an invocation (null and false for a log entry), and the level of a log entry (null for an invocation). `-` subtracts.
 */
export const countUsage = (account: string, rows: string, sign: '' | '-' = '') => `
  INSERT INTO usage_deltas (account_id, agent_id, bucket_start, id, ${usageColumns.join(', ')})
  SELECT ${account}, agent_id, date_bin('1 minute', at, 'epoch') AS minute, '${sign}' || min(id),
         ${sign}count(duration), ${sign}count(*) FILTER (WHERE failed),
         ${sign}coalesce(sum(duration), 0), ${sign}coalesce(sum(tokens), 0),
         ${logLevels.map((level) => `${sign}count(*) FILTER (WHERE level = '${level}')`).join(', ')}
    FROM (${rows}) AS happened
   GROUP BY agent_id, minute`;

/** Log entries as rows for `countUsage`. */
export const loggedRows = (table: string) =>
  `SELECT id, agent_id, logged_at AS at, NULL::int AS duration, NULL::int AS tokens, false AS failed, level FROM ${table}`;
