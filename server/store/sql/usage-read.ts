/**
 * Reads an agent's invocations, failures, durations and tokens over time, and the tokens of several agents by their models.
 * Why SQL: sums rollups, deltas and the edges of the range in one statement (LATERAL); Prisma cannot group by day.
 */
import { type Cover, coverRange, type TimeRange } from '../../lib/time-buckets.js';
import type { Queryable, Statement } from '../connection.js';
import { type CountedHours, type HourlyRead, mergeHours, planHours } from '../counted-hours.js';
import {
  addCounts,
  nonEmpty,
  type PackedCounts,
  timesOf,
  type UsageBucket,
  type UsageBuckets,
} from '../usage-buckets.js';
import { boundsOf, runParameters, sqlTime } from '../usage-cover.js';

/** What else is summed up of finished invocations, beside their number. */
export type UsageSum = 'failures' | 'durationMs' | 'tokens';

export interface UsageQuery {
  agentId: string;
  range: TimeRange;
  bucketSeconds: number;
  sum: UsageSum | undefined;
}

/**
 * Returns the non-empty buckets, oldest first. A finished invocation counts at the time it was received. Whole buckets
 * are read from the counts, and the edges of the range from the invocations themselves. Series by the minute, or by a few, read
 * the hours that `counted` remembers only if they changed.
 */
export async function readUsage(
  database: Queryable,
  query: UsageQuery,
  counted: CountedHours = new Map(),
): Promise<UsageBucket[]> {
  const { range, bucketSeconds } = query;
  const cover = coverRange(range, bucketSeconds % 86_400 === 0 ? 86_400 : 3_600);
  const plan: HourlyRead =
    bucketSeconds < 3_600
      ? planHours(counted, query, cover)
      : { runs: cover.runs, hours: [], known: new Map() };
  const parts = await database.run<Part>(series(query.sum), parametersOf(query, cover, plan));
  const buckets: UsageBuckets = new Map();
  const add = (wanted: Part['part']) => {
    for (const one of parts) if (one.part === wanted) addCounts(buckets, one, bucketSeconds);
  };
  add('rollups');
  mergeHours(counted, query, plan, { buckets, versions: versionsOf(parts) });
  add('others');
  return nonEmpty(buckets);
}

interface Part extends PackedCounts {
  /** What the counts are from; `hours` are the versions of hours, and when they begin. */
  part: 'rollups' | 'others' | 'hours';
  versions: string | null;
}

function versionsOf(parts: readonly Part[]): Map<number, string> {
  const hours = parts.find(({ part }) => part === 'hours');
  const versions = hours?.versions?.split(' ') ?? [];
  const starts = timesOf({ times: hours?.times ?? null });
  return new Map(versions.map((version, index) => [starts[index] ?? NaN, version]));
}

function parametersOf({ agentId }: UsageQuery, cover: Cover, { runs, hours, known }: HourlyRead) {
  const bounds = boundsOf(cover);
  return [
    agentId,
    ...runParameters({ ...cover, runs }),
    sqlTime(bounds.from),
    sqlTime(bounds.to),
    cover.edges.map(({ from }) => sqlTime(from)),
    cover.edges.map(({ to }) => sqlTime(to)),
    sqlTime(hours[0] ?? 0),
    sqlTime((hours.at(-1) ?? -hourMs) + hourMs),
    [...known.keys()].map(sqlTime),
    [...known.values()].map(({ version }) => version),
  ];
}

const hourMs = 3_600_000;

/** Of whole buckets, and of an invocation. */
const sums: Record<UsageSum, { counted: string; single: string }> = {
  failures: { counted: 'failures', single: `CASE status WHEN 'failed' THEN 1 ELSE 0 END` },
  durationMs: { counted: 'duration_ms', single: 'coalesce(duration_ms, 0)' },
  tokens: { counted: 'tokens', single: 'coalesce(tokens_used, 0)' },
};

// OFFSET 0 keeps the planner from flattening the subqueries into joins of whole tables: it cannot know how short the
// ranges are. Transferring the counts as rows would dominate the query time, and writing them as text would take longer than
// reading them: so they are packed, and no more of them than necessary. The transaction that wrote a row is its version, and its
// counts in case another server, which took over, gave the same number to another transaction.
const series = (sum: UsageSum | undefined): Statement => {
  const { counted, single } = sum === undefined ? { counted: 'NULL', single: 'NULL' } : sums[sum];
  const packed = `
    string_agg(timestamptz_send(at), '') AS times, string_agg(int8send(invocations), '') AS invocations,
    ${sum === undefined ? 'NULL::bytea' : `string_agg(int8send(sum), '')`} AS sums`;
  return {
    name: `usage_series_${sum ?? 'only'}`,
    text: `
    WITH hour AS MATERIALIZED (
      SELECT bucket_start AS start, concat_ws(':', xmin, invocations, ${counted}) AS version
        FROM usage_rollups
       WHERE agent_id = $1 AND bucket_seconds = 3600 AND bucket_start >= $9::timestamptz AND bucket_start < $10::timestamptz
    ), run AS (
      SELECT * FROM unnest($2::int[], $3::timestamptz[], $4::timestamptz[]) AS chosen (size, start, stop)
      UNION ALL
      SELECT 60, start, start + interval '1 hour'
        FROM hour JOIN unnest($11::timestamptz[], $12::text[]) AS known (start, version) USING (start)
       WHERE known.version <> hour.version
    ), rollup AS (
      SELECT kept.*
        FROM run
       CROSS JOIN LATERAL (
         SELECT bucket_start AS at, invocations, ${counted}::bigint AS sum
           FROM usage_rollups
          WHERE agent_id = $1 AND bucket_seconds = run.size AND bucket_start >= run.start AND bucket_start < run.stop
         OFFSET 0
       ) AS kept
    ), other AS (
      SELECT bucket_start AS at, invocations::bigint, ${counted}::bigint AS sum
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
    SELECT 'rollups' AS part, ${packed}, NULL AS versions FROM rollup
    UNION ALL
    SELECT 'others', ${packed}, NULL FROM other
    UNION ALL
    SELECT 'hours', string_agg(timestamptz_send(start), ''), NULL, NULL, string_agg(version, ' ') FROM hour`,
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
