/**
 * Reads an agent's invocations, failures, durations and tokens over time.
 * Why SQL: sums rollups, deltas and the edges of the range in one statement (LATERAL); Prisma cannot group by time.
 */
import { coverRange, type TimeRange } from '../lib/time/time-buckets.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { boundsOf, runParameters, sqlTime } from './cover.js';

export interface UsageQuery {
  accountId: string;
  agentId: string;
  range: TimeRange;
  bucketSeconds: number;
}

/** Counts finished invocations by the time at which they were received. */
export interface UsageBucket {
  /** In milliseconds since the epoch. */
  start: number;
  invocations: number;
  failures: number;
  durationMs: number;
  tokens: number;
}

// Sums rollups of whole buckets, deltas that are not folded yet, and the invocations themselves at the edges of the range. OFFSET 0
// prevents the planner from flattening the subqueries into joins of whole tables, since it cannot know how short the ranges are. Sums
// are exact up to 2 ** 53.
const readSeries: Statement = {
  name: 'usage_series',
  text: `
    WITH counted AS (
      SELECT rollup.*
        FROM unnest($3::int[], $4::timestamptz[], $5::timestamptz[]) AS run (size, start, stop)
       CROSS JOIN LATERAL (
         SELECT bucket_start AS at, invocations, failures, duration_ms, tokens
           FROM usage_rollups
          WHERE account_id = $10 AND agent_id = $1 AND bucket_seconds = run.size AND bucket_start >= run.start AND bucket_start < run.stop
         OFFSET 0
       ) AS rollup
      UNION ALL
      SELECT bucket_start, invocations, failures, duration_ms, tokens
        FROM usage_deltas
       WHERE account_id = $10 AND agent_id = $1 AND bucket_start >= $6::timestamptz AND bucket_start < $7::timestamptz
      UNION ALL
      SELECT invocation.*
        FROM unnest($8::timestamptz[], $9::timestamptz[]) AS edge (start, stop)
       CROSS JOIN LATERAL (
         SELECT created_at, 1, (status = 'failed')::int, coalesce(duration_ms, 0), coalesce(tokens_used, 0)
           FROM invocations
          WHERE account_id = $10 AND agent_id = $1 AND created_at >= edge.start AND created_at < edge.stop
            AND status IN ('succeeded', 'failed')
         OFFSET 0
       ) AS invocation
    )
    SELECT 1000 * date_part('epoch', date_bin($2::int * interval '1 second', at, 'epoch')) AS start,
           sum(invocations::float8) AS invocations, sum(failures::float8) AS failures,
           sum(duration_ms::float8) AS "durationMs", sum(tokens::float8) AS tokens
      FROM counted
     GROUP BY 1
    HAVING sum(invocations::float8) > 0
     ORDER BY 1`,
};

/** Returns the non-empty buckets, oldest first. */
export function readUsage(
  database: Queryable,
  { accountId, agentId, range, bucketSeconds }: UsageQuery,
): Promise<UsageBucket[]> {
  const cover = coverRange(range, bucketSeconds);
  const bounds = boundsOf(cover);
  return database.run<UsageBucket & object>(readSeries, [
    agentId,
    bucketSeconds,
    ...runParameters(cover),
    sqlTime(bounds.from),
    sqlTime(bounds.to),
    cover.edges.map(({ from }) => sqlTime(from)),
    cover.edges.map(({ to }) => sqlTime(to)),
    accountId,
  ]);
}
