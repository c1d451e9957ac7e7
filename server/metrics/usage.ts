/**
 * Usage counts of agents per minute, five minutes, hour and day. Writing an invocation or a log entry appends to `usage_deltas`, under
 * the minute in which the invocation was received or the entry written. Deleting one appends negative counts. A background task
 * folds those rows into `usage_rollups`. A count is always the sum of both tables.
 */
import type { LogLevel } from '../../generated/api.js';
import { bucketSizes, startOfBucket } from '../lib/time/time-buckets.js';
import type { Connection, Queryable, Statement } from '../postgres/connection.js';
import { columnOf } from '../postgres/rows.sql.js';

const emptyCounts = {
  invocations: 0,
  failures: 0,
  durationMs: 0,
  tokens: 0,
  logsDebug: 0,
  logsInfo: 0,
  logsWarn: 0,
  logsError: 0,
};

type UsageCounts = typeof emptyCounts;

export const countNames = Object.keys(emptyCounts) as (keyof UsageCounts)[];

/** The name of the count for each log level. */
export const logCounts = {
  debug: 'logsDebug',
  info: 'logsInfo',
  warn: 'logsWarn',
  error: 'logsError',
} as const satisfies Record<LogLevel, keyof UsageCounts>;

export interface UsageChange extends Partial<UsageCounts> {
  /** The id of the invocation or log entry. */
  id: string;
  accountId: string;
  agentId: string;
  at: Date;
}

type UsageSum = UsageCounts & Omit<UsageChange, 'at'> & { bucketStart: Date };

/** Appends the sum of the changes per agent and minute. */
export async function addUsage(
  { prisma }: Connection,
  changes: readonly UsageChange[],
): Promise<void> {
  await prisma.usageDelta.createMany({ data: sumUsage(changes) });
}

/** Sums the changes per agent and minute. */
export function sumUsage(changes: readonly UsageChange[]): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const change of changes) {
    const { id, accountId, agentId } = change;
    const minute = startOfBucket(change.at.getTime(), 60);
    const key = `${agentId} ${minute}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = { id, accountId, agentId, bucketStart: new Date(minute), ...emptyCounts };
      sums.set(key, sum);
    }
    for (const name of countNames) sum[name] += change[name] ?? 0;
  }
  return [...sums.values()];
}

/** The columns of the counts in `usage_deltas` and `usage_rollups`. */
const usageColumns = countNames.map(columnOf);

/**
 * Subtracts invocations and log entries of one account from the counts, per agent and minute. The rows have id, agent_id, at, duration,
 * tokens, failed and level. For a log entry, duration and tokens are null and failed is false; for an invocation, level is null.
 */
export const subtractUsage = (account: string, rows: string) => `
  INSERT INTO usage_deltas (account_id, agent_id, bucket_start, id, ${usageColumns.join(', ')})
  SELECT ${account}, agent_id, date_bin('1 minute', at, 'epoch') AS minute, '-' || min(id),
         -count(duration), -count(*) FILTER (WHERE failed), -coalesce(sum(duration), 0), -coalesce(sum(tokens), 0),
         ${Object.keys(logCounts)
           .map((level) => `-count(*) FILTER (WHERE level = '${level}')`)
           .join(', ')}
    FROM (${rows}) AS happened
   GROUP BY agent_id, minute`;

// The accounts with the oldest deltas first.
const findUnfolded: Statement = {
  name: 'usage_find_unfolded',
  text: 'SELECT account_id AS "accountId" FROM usage_deltas GROUP BY account_id ORDER BY min(bucket_start) LIMIT $1',
};

const accountBatch = 100;

/** Folds deltas into the rollups, account by account. Returns true if more are pending. */
export async function foldStep(connection: Connection, batch = 5_000): Promise<boolean> {
  const accounts = await connection.run<{ accountId: string }>(findUnfolded, [accountBatch]);
  let isFull = accounts.length === accountBatch;
  for (const { accountId } of accounts) {
    isFull = (await foldUsage(connection, accountId, batch)) || isFull;
  }
  return isFull;
}

// SQL because one statement deletes from one table and upserts into the other, which Prisma cannot express.
const fold: Statement = {
  name: 'usage_fold',
  text: `
    WITH agent AS MATERIALIZED (
      SELECT id FROM agents WHERE account_id = $1
    ), chosen AS MATERIALIZED (
      SELECT agent_id, bucket_start, id FROM usage_deltas
       WHERE account_id = $1 AND agent_id = ANY (ARRAY(SELECT id FROM agent)) LIMIT $2
    ), moved AS (
      DELETE FROM usage_deltas AS delta USING chosen
       WHERE delta.account_id = $1 AND delta.agent_id = chosen.agent_id AND delta.bucket_start = chosen.bucket_start
         AND delta.id = chosen.id
      RETURNING delta.*
    ), added AS (
      INSERT INTO usage_rollups AS rollup (account_id, agent_id, bucket_seconds, bucket_start, ${usageColumns.join(', ')})
      SELECT $1, agent_id, size, date_bin(size * interval '1 second', bucket_start, 'epoch') AS bucket,
             ${usageColumns.map((column) => `sum(${column})`).join(', ')}
        FROM moved CROSS JOIN unnest(ARRAY[${bucketSizes.join(', ')}]) AS size
       GROUP BY agent_id, size, bucket
      ON CONFLICT (account_id, agent_id, bucket_seconds, bucket_start) DO UPDATE SET
        ${usageColumns.map((column) => `${column} = rollup.${column} + excluded.${column}`).join(', ')}
    )
    SELECT count(*)::int AS moved FROM moved`,
};

/**
 * Folds up to `batch` rows of an account and returns true if more are pending. The statement is atomic, so that nothing is lost or
 * counted twice. Skips deleted agents.
 */
export async function foldUsage(
  database: Queryable,
  accountId: string,
  batch: number,
): Promise<boolean> {
  const [folded] = await database.run<{ moved: number }>(fold, [accountId, batch]);
  return folded?.moved === batch;
}

const agentBatch = 500;

/**
 * Deletes rollups before the given time whose counts are all zero. Iterates over the agents, which lead the index, so
 * that later rollups are not scanned.
 */
export async function deleteEmptyRollups({ prisma }: Connection, before: Date): Promise<void> {
  for (let after = ''; ;) {
    const agents = await prisma.agent.findMany({
      where: { id: { gt: after } },
      select: { id: true, accountId: true },
      orderBy: { id: 'asc' },
      take: agentBatch,
    });
    const last = agents.at(-1);
    if (!last) return;
    await prisma.usageRollup.deleteMany({
      where: {
        accountId: { in: [...new Set(agents.map(({ accountId }) => accountId))] },
        agentId: { in: agents.map(({ id }) => id) },
        bucketSeconds: { in: [...bucketSizes] },
        bucketStart: { lt: before },
        ...emptyCounts,
      },
    });
    after = last.id;
  }
}
