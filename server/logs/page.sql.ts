/**
 * Reads a page of an agent's log, newest first, with the exact number of matching entries.
 * Why SQL: the total is the sum of rollups, deltas and the edges of the range; counting all entries would slow down as the log grows.
 */
import type { LogLevel } from '../../generated/api.js';
import { coverRange, type TimeRange } from '../lib/time/time-buckets.js';
import type { Queryable } from '../postgres/connection.js';
import type { Page, PageRequest } from '../contract/page.js';
import { pageOf, type PageRow } from '../postgres/page.js';
import { runParameters, sqlTime } from '../metrics/cover.js';
import { type Bind, pageWithTotal, parameters } from '../postgres/fragments.sql.js';

export interface StoredLogEntry {
  id: string;
  at: Date;
  level: LogLevel;
  requestId: string;
  message: string;
  metadata: Record<string, unknown>;
}

interface LogQuery extends PageRequest {
  accountId: string;
  agentId: string;
  level: LogLevel | undefined;
  requestId: string | undefined;
  /** Null: production, and what is of no invocation. Undefined: all. */
  environment: string | null | undefined;
  range: TimeRange;
}

export async function readLogPage(
  database: Queryable,
  query: LogQuery,
): Promise<Page<StoredLogEntry>> {
  const { name, text, values } = pageStatement(query);
  return pageOf(await database.run<PageRow<StoredLogEntry>>({ name, text }, values));
}

// Each combination of filters is its own statement, so that PostgreSQL plans it with the matching index.
function pageStatement(query: LogQuery) {
  const { values, bind } = parameters();
  const where = conditions(query, bind);
  const text = pageWithTotal(
    `id, logged_at AS at, level, request_id AS "requestId", left(message, 10000) AS message, metadata`,
    totalOf(query, where, bind),
    `SELECT * FROM log_entries WHERE ${where}
      ORDER BY logged_at DESC, id DESC LIMIT ${bind(query.limit)} OFFSET ${bind(query.offset)}::bigint`,
    'logged_at DESC, id DESC',
  );
  return { name: `log_page_${shapeOf(query)}`, text, values };
}

/** The stored counts are of all environments together, and the rows of those other than production are few. */
function totalOf(query: LogQuery, where: string, bind: Bind): string {
  const { requestId, environment } = query;
  if (requestId !== undefined || typeof environment === 'string') {
    return `SELECT count(*)::float8 AS total FROM log_entries WHERE ${where}`;
  }
  const all = `SELECT coalesce(sum(number), 0)::float8 AS total FROM (${countedParts(query, bind)}) AS part`;
  if (environment === undefined) return all;
  const elsewhere = conditions({ ...query, environment: undefined }, bind);
  return `
    SELECT total - (SELECT count(*) FROM log_entries WHERE ${elsewhere} AND environment IS NOT NULL) AS total
      FROM (${all}) AS everywhere`;
}

function conditions(
  { accountId, agentId, level, requestId, environment, range: { from, to } }: LogQuery,
  bind: Bind,
): string {
  return [
    `account_id = ${bind(accountId)}`,
    `agent_id = ${bind(agentId)}`,
    ...(level === undefined ? [] : [`level = ${bind(level)}::log_level`]),
    ...(requestId === undefined ? [] : [`request_id = ${bind(requestId)}`]),
    ...(environment === null ? ['environment IS NULL'] : []),
    ...(typeof environment === 'string' ? [`environment = ${bind(environment)}`] : []),
    ...(from === -Infinity ? [] : [`logged_at >= ${bind(sqlTime(from))}::timestamptz`]),
    ...(to === Infinity ? [] : [`logged_at < ${bind(sqlTime(to))}::timestamptz`]),
  ].join(' AND ');
}

/** The stored counts that include the query's level. */
const countedColumns = ({ level }: LogQuery) =>
  level === undefined ? 'logs_debug + logs_info + logs_warn + logs_error' : `logs_${level}`;

/** The numbers of entries in the time buckets of the range. Only entries at the edges of the range are counted individually. */
function countedParts(query: LogQuery, bind: Bind): string {
  const { accountId, agentId, level, range } = query;
  const cover = coverRange(range, 86_400);
  const ofAgent = `account_id = ${bind(accountId)} AND agent_id = ${bind(agentId)}`;
  const [sizes, starts, stops] = runParameters(cover).map(bind);
  const edgeStarts = bind(cover.edges.map(({ from }) => sqlTime(from)));
  const edgeStops = bind(cover.edges.map(({ to }) => sqlTime(to)));
  return `
    SELECT bucket.number
      FROM unnest(${sizes}::int[], ${starts}::timestamptz[], ${stops}::timestamptz[]) AS run (size, start, stop)
     CROSS JOIN LATERAL (
       SELECT ${countedColumns(query)} AS number FROM usage_rollups
        WHERE ${ofAgent} AND bucket_seconds = run.size
          AND bucket_start >= run.start AND bucket_start < run.stop
       UNION ALL
       SELECT ${countedColumns(query)} FROM usage_deltas
        WHERE ${ofAgent} AND bucket_start >= run.start AND bucket_start < run.stop
     ) AS bucket
    UNION ALL
    SELECT at_edge.number
      FROM unnest(${edgeStarts}::timestamptz[], ${edgeStops}::timestamptz[]) AS edge (start, stop)
     CROSS JOIN LATERAL (
       SELECT count(*) AS number FROM log_entries
        WHERE ${ofAgent} AND logged_at >= edge.start AND logged_at < edge.stop
              ${level === undefined ? '' : `AND level = ${bind(level)}::log_level`}
     ) AS at_edge`;
}

/** Identifies the statement's text in its name. */
function shapeOf({ level, requestId, environment, range }: LogQuery): string {
  return [
    level ?? 'any',
    ...(requestId === undefined ? [] : ['request']),
    ...(environment === undefined ? [] : [environment === null ? 'production' : 'elsewhere']),
    ...(range.from === -Infinity ? [] : ['from']),
    ...(range.to === Infinity ? [] : ['to']),
  ].join('_');
}
