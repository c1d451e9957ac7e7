/** Reads how many invocations an agent had over time, how they ended and how long they took. */
import { type BucketSize, coverRange, type TimeRange } from '../lib/time-buckets.js';
import type { Sql, Statement } from './sql.js';
import { boundsOf, runParameters, sqlTime } from './usage-cover.js';

export interface UsageBucket {
  /** When it starts, in milliseconds since the epoch. */
  start: number;
  invocations: number;
  failures: number;
  durationMs: number;
}

/**
 * Only the buckets in which there were invocations, oldest first. An invocation counts at the time when it was received,
 * once it has ended. Whole buckets are read from the counts, and the edges of the range from the invocations themselves.
 */
export async function readUsage(
  sql: Sql,
  agentId: string,
  range: TimeRange,
  bucketSeconds: number,
): Promise<UsageBucket[]> {
  const cover = coverRange(range, countedSize(bucketSeconds));
  const bounds = boundsOf(cover);
  return sql.run<UsageBucket>(SERIES, [
    agentId,
    bucketSeconds,
    ...runParameters(cover),
    sqlTime(bounds.from),
    sqlTime(bounds.to),
    cover.edges.map(({ from }) => sqlTime(from)),
    cover.edges.map(({ to }) => sqlTime(to)),
  ]);
}

/** Five minutes are counted by the minute. */
function countedSize(bucketSeconds: number): BucketSize {
  if (bucketSeconds % 86_400 === 0) return 86_400;
  return bucketSeconds % 3_600 === 0 ? 3_600 : 60;
}

// The subqueries that look at one stretch of time each are limited, which changes nothing but keeps PostgreSQL from
// joining whole tables: it cannot know how short the stretches are.
const SERIES: Statement = {
  name: 'usage_series',
  text: `
    WITH counted AS (
      SELECT kept.*
        FROM unnest($3::int[], $4::timestamptz[], $5::timestamptz[]) AS run (size, start, stop)
       CROSS JOIN LATERAL (
         SELECT bucket_start AS at, invocations, failures, duration_ms
           FROM usage_rollups
          WHERE agent_id = $1 AND bucket_seconds = run.size AND bucket_start >= run.start AND bucket_start < run.stop
         OFFSET 0
       ) AS kept
      UNION ALL
      SELECT bucket_start, invocations, failures, duration_ms
        FROM usage_deltas
       WHERE agent_id = $1 AND bucket_start >= $6::timestamptz AND bucket_start < $7::timestamptz
      UNION ALL
      SELECT at_edge.*
        FROM unnest($8::timestamptz[], $9::timestamptz[]) AS edge (start, stop)
       CROSS JOIN LATERAL (
         SELECT created_at, 1, CASE status WHEN 'failed' THEN 1 ELSE 0 END, duration_ms
           FROM invocations
          WHERE agent_id = $1 AND created_at >= edge.start AND created_at < edge.stop
            AND status IN ('succeeded', 'failed')
         OFFSET 0
       ) AS at_edge
    )
    SELECT extract(epoch FROM date_bin($2 * interval '1 second', at, 'epoch'))::float8 * 1000 AS start,
           sum(invocations)::float8 AS invocations, sum(failures)::float8 AS failures,
           sum(duration_ms)::float8 AS "durationMs"
      FROM counted
     GROUP BY 1
    HAVING sum(invocations) > 0
     ORDER BY 1`,
};
