/**
 * Folds counts from `usage_deltas` into `usage_rollups`.
 * Why SQL: deletes from one table and upserts into the other in one statement, which Prisma cannot express.
 */
import { bucketSizes } from '../lib/time/time-buckets.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { usageColumns } from './count.sql.js';

const find: Statement = {
  name: 'usage_find_unfolded',
  text: 'SELECT account_id AS "accountId" FROM usage_deltas GROUP BY account_id ORDER BY min(bucket_start) LIMIT $1',
};

/** Returns accounts that have unfolded deltas, those with the oldest delta first. */
export async function findUnfolded(database: Queryable, limit: number): Promise<string[]> {
  const accounts = await database.run<{ accountId: string }>(find, [limit]);
  return accounts.map(({ accountId }) => accountId);
}

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
