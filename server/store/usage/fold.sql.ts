/**
 * Folds counts from `usage_deltas` into `usage_rollups`.
 * Why SQL: deletes from one table and upserts into the other in one statement, which Prisma cannot express.
 */
import { bucketSizes } from '../../lib/time-buckets.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { usageColumns } from './count.sql.js';

const fold: Statement = {
  name: 'usage_fold',
  text: `
    WITH oldest AS MATERIALIZED (
      SELECT id, agent_id FROM usage_deltas ORDER BY id LIMIT $1
    ), agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM oldest) FOR KEY SHARE SKIP LOCKED
    ), moved AS (
      DELETE FROM usage_deltas
       WHERE id = ANY (ARRAY(SELECT oldest.id FROM oldest JOIN agent ON agent.id = oldest.agent_id))
      RETURNING *
    ), added AS (
      INSERT INTO usage_rollups AS rollup (agent_id, bucket_seconds, bucket_start, ${usageColumns.join(', ')})
      SELECT agent_id, size, date_bin(size * interval '1 second', bucket_start, 'epoch') AS bucket,
             ${usageColumns.map((column) => `sum(${column})`).join(', ')}
        FROM moved CROSS JOIN unnest(ARRAY[${bucketSizes.join(', ')}]) AS size
       GROUP BY agent_id, size, bucket
      ON CONFLICT (agent_id, bucket_seconds, bucket_start) DO UPDATE SET
        ${usageColumns.map((column) => `${column} = rollup.${column} + excluded.${column}`).join(', ')}
    )
    SELECT count(*)::int AS moved FROM moved`,
};

/**
 * Folds up to `batch` rows and returns true if more are pending. Atomic, so that nothing is lost or counted twice. Skips
 * agents that are being deleted.
 */
export async function foldUsage(database: Queryable, batch: number): Promise<boolean> {
  const [folded] = await database.run<{ moved: number }>(fold, [batch]);
  return folded?.moved === batch;
}
