/**
 * Reads an agent's invocations, failures, durations and tokens over time.
 * Why SQL: sums rollups, deltas and the edges of the range in one statement (LATERAL); Prisma cannot group by time.
 */
import { coverRange, type TimeRange } from '../lib/time/time-buckets.js';
import type { Queryable } from '../postgres/connection.js';
import { type Bind, parameters } from '../postgres/fragments.sql.js';
import { boundsOf, runParameters, sqlTime } from './cover.js';

export interface UsageQuery {
  accountId: string;
  agentId: string;
  /** Null: production. Undefined: all. */
  environment: string | null | undefined;
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

/** Returns the non-empty buckets, oldest first. */
export function readUsage(database: Queryable, query: UsageQuery): Promise<UsageBucket[]> {
  const { values, bind } = parameters();
  const { name, parts } = countedOf(query, bind);
  const text = `
    WITH counted AS (${parts.join(' UNION ALL ')})
    SELECT 1000 * date_part('epoch', date_bin(${bind(query.bucketSeconds)}::int * interval '1 second', at, 'epoch')) AS start,
           sum(invocations::float8) AS invocations, sum(failures::float8) AS failures,
           sum(duration_ms::float8) AS "durationMs", sum(tokens::float8) AS tokens
      FROM counted
     GROUP BY 1
    HAVING sum(invocations::float8) > 0
     ORDER BY 1`;
  return database.run<UsageBucket & object>({ name, text }, values);
}

/** The stored counts are of all environments together, and the invocations in those other than production are few. */
function countedOf(query: UsageQuery, bind: Bind): { name: string; parts: string[] } {
  const { environment } = query;
  if (typeof environment === 'string') {
    const ofOne = invocationsOf(query, `environment = ${bind(environment)}`, bind);
    return { name: 'usage_series_elsewhere', parts: [ofOne] };
  }
  if (environment === undefined) return { name: 'usage_series', parts: [ofAll(query, bind)] };
  const others = `
    SELECT at, -invocations, -failures, -duration_ms, -tokens
      FROM (${invocationsOf(query, 'environment IS NOT NULL', bind)}) AS other`;
  return { name: 'usage_series_production', parts: [ofAll(query, bind), others] };
}

const countedColumns = `created_at AS at, 1 AS invocations, (status = 'failed')::int AS failures,
         coalesce(duration_ms, 0) AS duration_ms, coalesce(tokens_used, 0) AS tokens`;

const hasEnded = `status IN ('succeeded', 'failed')`;

function invocationsOf(
  { accountId, agentId, range }: UsageQuery,
  environment: string,
  bind: Bind,
): string {
  return `
    SELECT ${countedColumns} FROM invocations
     WHERE account_id = ${bind(accountId)} AND agent_id = ${bind(agentId)} AND ${environment}
       AND created_at >= ${bind(sqlTime(range.from))}::timestamptz AND created_at < ${bind(sqlTime(range.to))}::timestamptz
       AND ${hasEnded}`;
}

// Sums rollups of whole buckets, deltas that are not folded yet, and the invocations themselves at the edges of the range. OFFSET 0
// prevents the planner from flattening the subqueries into joins of whole tables, since it cannot know how short the ranges are. Sums
// are exact up to 2 ** 53.
function ofAll({ accountId, agentId, range, bucketSeconds }: UsageQuery, bind: Bind): string {
  const cover = coverRange(range, bucketSeconds);
  const bounds = boundsOf(cover);
  const ofAgent = `account_id = ${bind(accountId)} AND agent_id = ${bind(agentId)}`;
  const [sizes, starts, stops] = runParameters(cover).map(bind);
  const edgeStarts = bind(cover.edges.map(({ from }) => sqlTime(from)));
  const edgeStops = bind(cover.edges.map(({ to }) => sqlTime(to)));
  return `
    SELECT rollup.*
      FROM unnest(${sizes}::int[], ${starts}::timestamptz[], ${stops}::timestamptz[]) AS run (size, start, stop)
     CROSS JOIN LATERAL (
       SELECT bucket_start AS at, invocations, failures, duration_ms, tokens
         FROM usage_rollups
        WHERE ${ofAgent} AND bucket_seconds = run.size AND bucket_start >= run.start AND bucket_start < run.stop
       OFFSET 0
     ) AS rollup
    UNION ALL
    SELECT bucket_start, invocations, failures, duration_ms, tokens
      FROM usage_deltas
     WHERE ${ofAgent} AND bucket_start >= ${bind(sqlTime(bounds.from))}::timestamptz
       AND bucket_start < ${bind(sqlTime(bounds.to))}::timestamptz
    UNION ALL
    SELECT invocation.*
      FROM unnest(${edgeStarts}::timestamptz[], ${edgeStops}::timestamptz[]) AS edge (start, stop)
     CROSS JOIN LATERAL (
       SELECT ${countedColumns} FROM invocations
        WHERE ${ofAgent} AND created_at >= edge.start AND created_at < edge.stop AND ${hasEnded}
       OFFSET 0
     ) AS invocation`;
}
