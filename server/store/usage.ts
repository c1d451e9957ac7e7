/**
 * The counts of what agents did, per minute, hour and day. Whoever writes an invocation or a log entry appends what it
 * adds to `usage_deltas`, under the minute in which the invocation was received or the entry was written; whoever deletes
 * one appends what it takes away. This moves those rows into `usage_rollups`. A count is always the sum of both.
 */
import type { Transaction } from './database.js';

/**
 * Moves up to so many rows, and says whether more are waiting. They leave one table and reach the other in the same
 * statement, so nothing is lost or counted twice, whatever happens. An agent that is being deleted is left alone.
 */
export async function foldUsage(transaction: Transaction, batch: number): Promise<boolean> {
  const [folded] = await transaction.$queryRaw<{ moved: bigint }[]>`
    WITH oldest AS MATERIALIZED (
      SELECT id, agent_id FROM usage_deltas ORDER BY id LIMIT ${batch}
    ), agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM oldest) FOR KEY SHARE SKIP LOCKED
    ), moved AS (
      DELETE FROM usage_deltas
       WHERE id IN (SELECT oldest.id FROM oldest JOIN agent ON agent.id = oldest.agent_id)
      RETURNING *
    ), added AS (
      INSERT INTO usage_rollups AS rollup (agent_id, bucket_seconds, bucket_start, invocations, failures, duration_ms,
                                           logs_debug, logs_info, logs_warn, logs_error)
      SELECT agent_id, size, date_bin(size * interval '1 second', bucket_start, 'epoch') AS bucket,
             sum(invocations), sum(failures), sum(duration_ms),
             sum(logs_debug), sum(logs_info), sum(logs_warn), sum(logs_error)
        FROM moved CROSS JOIN unnest(ARRAY[60, 3600, 86400]) AS size
       GROUP BY agent_id, size, bucket
      ON CONFLICT (agent_id, bucket_seconds, bucket_start) DO UPDATE SET
        invocations = rollup.invocations + excluded.invocations,
        failures = rollup.failures + excluded.failures,
        duration_ms = rollup.duration_ms + excluded.duration_ms,
        logs_debug = rollup.logs_debug + excluded.logs_debug,
        logs_info = rollup.logs_info + excluded.logs_info,
        logs_warn = rollup.logs_warn + excluded.logs_warn,
        logs_error = rollup.logs_error + excluded.logs_error
    )
    SELECT count(*) AS moved FROM moved`;
  return Number(folded?.moved ?? 0) === batch;
}

/** Deletes rollups of the time before that, in which nothing is left to count. */
export async function deleteEmptyRollups(transaction: Transaction, before: Date): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM usage_rollups AS rollup
     USING agents
     WHERE rollup.agent_id = agents.id AND rollup.bucket_seconds IN (60, 3600, 86400)
       AND rollup.bucket_start < ${before}
       AND (invocations, failures, duration_ms, logs_debug, logs_info, logs_warn, logs_error) = (0, 0, 0, 0, 0, 0, 0)`;
}
