/**
 * Reads a page of an agent's log, newest first, with the exact number of matching entries.
 * Why SQL: the total is the sum of rollups, deltas and the edges of the range; counting would slow down as the log grows.
 */
import type { LogLevel } from '../../../generated/api.js';
import { type BucketSize, coverRange, type TimeRange } from '../../lib/time-buckets.js';
import type { Queryable } from '../connection.js';
import { type Page, pageOf, type PageRequest, type PageRow } from '../page.js';
import { runParameters, sqlTime } from '../usage-cover.js';
import { type Bind, pageWithTotal, parameters } from './fragments.js';

export interface StoredLogEntry {
  id: string;
  at: Date;
  level: LogLevel;
  requestId: string;
  message: string;
  metadata: Record<string, unknown>;
}

export interface LogQuery extends PageRequest {
  agentId: string;
  level: LogLevel | undefined;
  requestId: string | undefined;
  range: TimeRange;
}

export async function readLogPage(
  database: Queryable,
  query: LogQuery,
): Promise<Page<StoredLogEntry>> {
  const { name, text, values } = pageStatement(query);
  return pageOf(await database.run<PageRow<StoredLogEntry>>({ name, text }, values));
}

/** From here on entries are not read to be skipped: the counts say where the page begins. */
const deepOffset = 1_000;

// Each combination of filters is its own statement, so that PostgreSQL plans it with the matching index.
function pageStatement(query: LogQuery) {
  const { values, bind } = parameters();
  const where = conditions(query, bind);
  const isCounted = query.requestId === undefined;
  const isDeep = isCounted && query.offset >= deepOffset;
  const limit = bind(query.limit);
  const offset = `${bind(query.offset)}::bigint`;
  const parts = isCounted ? countedParts(query, bind) : '';
  const text = pageWithTotal(
    `id, logged_at AS at, level, request_id AS "requestId", left(message, 10000) AS message, metadata`,
    isCounted
      ? `SELECT coalesce(sum(number), 0)::float8 AS total FROM ${isDeep ? 'part' : `(${parts}) AS part`}`
      : `SELECT count(*)::float8 AS total FROM log_entries WHERE ${where}`,
    `SELECT * FROM log_entries WHERE ${where} ${isDeep ? 'AND logged_at < (SELECT stop FROM place)' : ''}
      ORDER BY logged_at DESC, id DESC
      LIMIT ${limit} OFFSET ${offset} ${isDeep ? '- (SELECT newer::bigint FROM place)' : ''}`,
    'logged_at DESC, id DESC',
  );
  const place = isDeep ? `WITH ${placeOf(query, parts, offset, bind)}` : '';
  const name = `log_page_${shapeOf(query)}${isDeep ? '_deep' : ''}`;
  return { name, text: `${place} ${text}`, values };
}

function conditions(
  { agentId, level, requestId, range: { from, to } }: LogQuery,
  bind: Bind,
): string {
  return [
    `agent_id = ${bind(agentId)}`,
    ...(level === undefined ? [] : [`level = ${bind(level)}::log_level`]),
    ...(requestId === undefined ? [] : [`request_id = ${bind(requestId)}`]),
    ...(from === -Infinity ? [] : [`logged_at >= ${bind(sqlTime(from))}::timestamptz`]),
    ...(to === Infinity ? [] : [`logged_at < ${bind(sqlTime(to))}::timestamptz`]),
  ].join(' AND ');
}

/** The sum of the stored counts that an entry of the query counts in. */
const countedColumns = ({ level }: LogQuery) =>
  level === undefined ? 'logs_debug + logs_info + logs_warn + logs_error' : `logs_${level}`;

/** Buckets of time that make up the range, with their numbers of entries. Only those at its edges are counted for it. */
function countedParts(query: LogQuery, bind: Bind): string {
  const { agentId, level, range } = query;
  const cover = coverRange(range, 86_400);
  const agent = bind(agentId);
  const [sizes, starts, stops] = runParameters(cover).map(bind);
  const edgeStarts = bind(cover.edges.map(({ from }) => sqlTime(from)));
  const edgeStops = bind(cover.edges.map(({ to }) => sqlTime(to)));
  const duration = `run.size * interval '1 second'`;
  return `
    SELECT bucket.start, bucket.start + ${duration} AS stop, bucket.number
      FROM unnest(${sizes}::int[], ${starts}::timestamptz[], ${stops}::timestamptz[]) AS run (size, start, stop)
     CROSS JOIN LATERAL (
       SELECT bucket_start AS start, ${countedColumns(query)} AS number FROM usage_rollups
        WHERE agent_id = ${agent} AND bucket_seconds = run.size
          AND bucket_start >= run.start AND bucket_start < run.stop
       UNION ALL
       SELECT date_bin(${duration}, bucket_start, 'epoch'), ${countedColumns(query)} FROM usage_deltas
        WHERE agent_id = ${agent} AND bucket_start >= run.start AND bucket_start < run.stop
     ) AS bucket
    UNION ALL
    SELECT edge.start, edge.stop, at_edge.number
      FROM unnest(${edgeStarts}::timestamptz[], ${edgeStops}::timestamptz[]) AS edge (start, stop)
     CROSS JOIN LATERAL (
       SELECT count(*) AS number FROM log_entries
        WHERE agent_id = ${agent} AND logged_at >= edge.start AND logged_at < edge.stop
              ${level === undefined ? '' : `AND level = ${bind(level)}::log_level`}
     ) AS at_edge`;
}

/**
 * CTEs with the minute in which the page begins, as its `place`: when it ends, and how many entries are newer. First the
 * largest bucket is found, then the hour within, then the minute: a busy day has more minutes than a page takes to read.
 */
function placeOf(query: LogQuery, parts: string, offset: string, bind: Bind): string {
  const agent = bind(query.agentId);
  const beginning = (numbers: string, newer: string) => `
    SELECT * FROM (
      SELECT start, stop, sum(number)::float8 AS number,
             ${newer} + sum(sum(number)::float8) OVER (ORDER BY start DESC) - sum(number)::float8 AS newer
        FROM ${numbers} GROUP BY start, stop
    ) AS numbered
     WHERE newer + number > ${offset} ORDER BY start DESC LIMIT 1`;
  const narrowed = (name: string, from: string, size: BucketSize) => {
    const duration = `interval '${size} seconds'`;
    const columns = (start: string) =>
      `${start} AS start, ${start} + ${duration} AS stop, ${countedColumns(query)} AS number`;
    const where = `agent_id = ${agent} AND (SELECT stop - start FROM ${from}) > ${duration}
      AND bucket_start >= (SELECT start FROM ${from}) AND bucket_start < (SELECT stop FROM ${from})`;
    return `
    part_of_${from} AS MATERIALIZED (
      SELECT ${columns('bucket_start')} FROM usage_rollups WHERE bucket_seconds = ${size} AND ${where}
      UNION ALL
      SELECT ${columns(`date_bin(${duration}, bucket_start, 'epoch')`)} FROM usage_deltas WHERE ${where}
    ),
    ${name} AS MATERIALIZED (
      SELECT * FROM (
        SELECT * FROM ${from} UNION ALL (${beginning(`part_of_${from}`, `(SELECT newer FROM ${from})`)})
      ) AS found ORDER BY stop - start LIMIT 1
    )`;
  };
  return `
    part AS MATERIALIZED (${parts}),
    coarse AS MATERIALIZED (${beginning('part', '0')}),
    ${narrowed('medium', 'coarse', 3_600)},
    ${narrowed('place', 'medium', 60)}`;
}

/** Identifies the text of the statement. */
function shapeOf({ level, requestId, range }: LogQuery): string {
  return [
    level ?? 'any',
    ...(requestId === undefined ? [] : ['request']),
    ...(range.from === -Infinity ? [] : ['from']),
    ...(range.to === Infinity ? [] : ['to']),
  ].join('_');
}
