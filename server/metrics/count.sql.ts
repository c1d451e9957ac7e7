/** SQL fragments for the usage counts of invocations and log entries. */
import { LogLevel } from '../../generated/prisma/enums.js';

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
 * Subtracts invocations and log entries of one account from the counts, per agent and minute. The rows have id, agent_id, at, duration,
 * tokens, failed and level. For a log entry, duration and tokens are null and failed is false; for an invocation, level is null.
 */
export const subtractUsage = (account: string, rows: string) => `
  INSERT INTO usage_deltas (account_id, agent_id, bucket_start, id, ${usageColumns.join(', ')})
  SELECT ${account}, agent_id, date_bin('1 minute', at, 'epoch') AS minute, '-' || min(id),
         -count(duration), -count(*) FILTER (WHERE failed), -coalesce(sum(duration), 0), -coalesce(sum(tokens), 0),
         ${logLevels.map((level) => `-count(*) FILTER (WHERE level = '${level}')`).join(', ')}
    FROM (${rows}) AS happened
   GROUP BY agent_id, minute`;
