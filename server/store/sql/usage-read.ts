/**
 * Reads an agent's invocations, failures, durations and tokens over time, and the tokens of several agents by their models.
 * Why SQL: sums rollups, deltas and the edges of the range in one statement (LATERAL); Prisma cannot group by day.
 */
import {
  type BucketSize,
  coverRange,
  startOfBucket,
  type TimeRange,
} from '../../lib/time-buckets.js';
import type { Queryable, Statement } from '../connection.js';
import { boundsOf, runParameters, sqlTime } from '../usage-cover.js';

/** What else is summed up of finished invocations, beside their number. */
export type UsageSum = 'failures' | 'durationMs' | 'tokens';

export interface UsageBucket {
  /** In milliseconds since the epoch. */
  start: number;
  invocations: number;
  /** What was asked for; else 0. */
  sum: number;
}

export interface UsageQuery {
  agentId: string;
  range: TimeRange;
  bucketSeconds: number;
  sum: UsageSum | undefined;
}

/**
 * Returns the non-empty buckets, oldest first. A finished invocation counts at the time it was received. Whole buckets
 * are read from the counts, and the edges of the range from the invocations themselves.
 */
export async function readUsage(
  database: Queryable,
  { agentId, range, bucketSeconds, sum }: UsageQuery,
): Promise<UsageBucket[]> {
  const cover = coverRange(range, countedSize(bucketSeconds));
  const bounds = boundsOf(cover);
  const [counts] = await database.run<PackedCounts>(series(sum), [
    agentId,
    ...runParameters(cover),
    sqlTime(bounds.from),
    sqlTime(bounds.to),
    cover.edges.map(({ from }) => sqlTime(from)),
    cover.edges.map(({ to }) => sqlTime(to)),
  ]);
  return counts ? sumUp(counts, bucketSeconds) : [];
}

/** Numbers as PostgreSQL sends them, of eight bytes each; null if there are none. */
interface PackedCounts {
  /** In microseconds since the year 2000. */
  times: Buffer | null;
  invocations: Buffer | null;
  sums: Buffer | null;
}

function sumUp(packed: PackedCounts, bucketSeconds: number): UsageBucket[] {
  const [invocations, sums] = [packed.invocations, packed.sums].map(numbersOf);
  const buckets = new Map<number, UsageBucket>();
  for (const [row, time] of numbersOf(packed.times).entries()) {
    const start = startOfBucket(year2000 + time / 1000, bucketSeconds);
    let bucket = buckets.get(start);
    if (!bucket) {
      bucket = { start, invocations: 0, sum: 0 };
      buckets.set(start, bucket);
    }
    bucket.invocations += invocations?.[row] ?? 0;
    bucket.sum += sums?.[row] ?? 0;
  }
  const found = [...buckets.values()].filter(({ invocations: count }) => count > 0);
  // Tokens of invocations from before they were counted are subtracted when these are deleted.
  for (const bucket of found) bucket.sum = Math.max(0, bucket.sum);
  return found.sort((one, other) => one.start - other.start);
}

const year2000 = Date.UTC(2000, 0, 1);

/** Exact up to 2 ** 53. */
function numbersOf(packed: Buffer | null): Float64Array {
  const numbers = new Float64Array((packed?.length ?? 0) / 8);
  if (!packed) return numbers;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  for (let n = 0; n < numbers.length; n += 1) {
    numbers[n] = view.getInt32(8 * n) * 2 ** 32 + view.getUint32(8 * n + 4);
  }
  return numbers;
}

/** The largest stored bucket size that divides the requested one; five minutes are read by the minute. */
function countedSize(bucketSeconds: number): BucketSize {
  if (bucketSeconds % 86_400 === 0) return 86_400;
  return bucketSeconds % 3_600 === 0 ? 3_600 : 60;
}

/** Of whole buckets, and of an invocation. */
const sums: Record<UsageSum, { counted: string; single: string }> = {
  failures: { counted: 'failures', single: `CASE status WHEN 'failed' THEN 1 ELSE 0 END` },
  durationMs: { counted: 'duration_ms', single: 'coalesce(duration_ms, 0)' },
  tokens: { counted: 'tokens', single: 'coalesce(tokens_used, 0)' },
};

// OFFSET 0 keeps the planner from flattening the subqueries into joins of whole tables: it cannot know how short the
// ranges are. Transferring the counts as rows would dominate the query time, and writing them as text would take longer than
// reading them: so they are packed, and no more of them than necessary.
const series = (sum: UsageSum | undefined): Statement => {
  const { counted, single } = sum === undefined ? { counted: 'NULL', single: 'NULL' } : sums[sum];
  return {
    name: `usage_series_${sum ?? 'only'}`,
    text: `
    WITH counted AS (
      SELECT kept.*
        FROM unnest($2::int[], $3::timestamptz[], $4::timestamptz[]) AS run (size, start, stop)
       CROSS JOIN LATERAL (
         SELECT bucket_start AS at, invocations, ${counted}::bigint AS sum
           FROM usage_rollups
          WHERE agent_id = $1 AND bucket_seconds = run.size AND bucket_start >= run.start AND bucket_start < run.stop
         OFFSET 0
       ) AS kept
      UNION ALL
      SELECT bucket_start, invocations::bigint, ${counted}::bigint
        FROM usage_deltas
       WHERE agent_id = $1 AND bucket_start >= $5::timestamptz AND bucket_start < $6::timestamptz
      UNION ALL
      SELECT at_edge.*
        FROM unnest($7::timestamptz[], $8::timestamptz[]) AS edge (start, stop)
       CROSS JOIN LATERAL (
         SELECT created_at, 1::bigint, (${single})::bigint
           FROM invocations
          WHERE agent_id = $1 AND created_at >= edge.start AND created_at < edge.stop
            AND status IN ('succeeded', 'failed')
         OFFSET 0
       ) AS at_edge
    )
    SELECT string_agg(timestamptz_send(at), '') AS times,
           string_agg(int8send(invocations), '') AS invocations,
           ${sum === undefined ? 'NULL::bytea' : `string_agg(int8send(sum), '')`} AS sums
      FROM counted`,
  };
};

export interface ModelUsage {
  agentId: string;
  /** The beginning of the day, in UTC. */
  day: Date;
  /** Null: not known, as of invocations by an earlier version. */
  model: string | null;
  invocations: number;
  failures: number;
  tokens: number;
}

// From the invocations themselves: the counts do not tell which model it was.
const byModel: Statement = {
  name: 'usage_by_model',
  text: `
    SELECT agent_id AS "agentId", date_bin('1 day', created_at, 'epoch') AS day, model, count(*)::float8 AS invocations,
           count(*) FILTER (WHERE status = 'failed')::float8 AS failures, coalesce(sum(tokens_used), 0)::float8 AS tokens
      FROM invocations
     WHERE agent_id = ANY ($1::text[]) AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
       AND status IN ('succeeded', 'failed')
     GROUP BY 1, 2, 3
     ORDER BY 2, 1, 3`,
};

/** Finished invocations, by the day on which they were received. */
export function readUsageByModel(
  database: Queryable,
  agentIds: readonly string[],
  { from, to }: TimeRange,
): Promise<ModelUsage[]> {
  return database.run<ModelUsage>(byModel, [agentIds, sqlTime(from), sqlTime(to)]);
}
