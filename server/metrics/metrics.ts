/** The rules for metrics: the buckets of a time series and their values. */
import type {
  AgentReference,
  Granularity,
  MetricName,
  MetricSeries,
  MetricUnit,
} from '../../generated/api.js';
import { constraints } from '../../generated/constraints.js';
import type { Query } from '../../generated/operations.js';
import { parseDuration } from '../lib/time/duration.js';
import { currentTime } from '../lib/time/clock.js';
import { startOfBucket, type TimeRange } from '../lib/time/time-buckets.js';
import type { Database } from '../postgres/database.js';
import { readUsage, type UsageBucket } from './read.sql.js';
import type { Caller, FindAgent } from '../accounts/caller.js';
import { environmentFilter } from '../contract/environments.js';
import { invalid } from '../contract/errors.js';
import { rangeOf } from '../contract/time-range.js';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const { maxItems: maxBuckets } = constraints.MetricSeries.properties.values;

export interface MetricParts {
  database: Database;
  findAgent: FindAgent;
}

export async function getMetrics(
  { database, findAgent }: MetricParts,
  caller: Caller,
  reference: AgentReference,
  request: Query<'getMetrics'>,
): Promise<MetricSeries> {
  const range = rangeOf(request, { to: currentTime(), from: (to) => to - dayMs });
  const starts = bucketStarts(range, request.granularity);
  const { id } = await findAgent(caller, reference);
  const seconds = bucketMs(request.granularity) / 1000;
  const { accountId } = caller;
  const environment = environmentFilter(request.environment);
  const query = { accountId, agentId: id, environment, range, bucketSeconds: seconds };
  const usage = await readUsage(database.searches(accountId), query);
  return seriesOf(request.metric, usage, { range, starts, seconds });
}

interface SeriesWindow {
  range: TimeRange;
  /** The start of every bucket that overlaps the range. */
  starts: number[];
  seconds: number;
}

const units: Record<MetricName, MetricUnit> = {
  response_time: 'ms',
  throughput: 'requests_per_minute',
  error_rate: 'percent',
  token_usage: 'tokens',
};

/** `values` are keyed by the start of their bucket. */
export function presentSeries(metric: MetricName, values: Map<number, number>): MetricSeries {
  return {
    metric,
    values: [...values].map(([start, value]) => ({
      timestamp: new Date(start).toISOString(),
      value: Math.round(value * 1000) / 1000,
      unit: units[metric],
    })),
  };
}

function seriesOf(metric: MetricName, usage: UsageBucket[], window: SeriesWindow): MetricSeries {
  const series = (values: Map<number, number>) => presentSeries(metric, values);
  const zeros = () => new Map(window.starts.map((start) => [start, 0]));
  const fill = (values: Map<number, number>, valueOf: (bucket: UsageBucket) => number) => {
    for (const bucket of usage) values.set(bucket.start, valueOf(bucket));
    return values;
  };
  switch (metric) {
    case 'response_time':
      return series(fill(new Map(), ({ durationMs, invocations }) => durationMs / invocations));
    case 'throughput':
      return series(
        fill(zeros(), ({ start, invocations }) => invocations / minutesOf(start, window)),
      );
    case 'error_rate':
      return series(fill(zeros(), ({ failures, invocations }) => (100 * failures) / invocations));
    case 'token_usage':
      return series(fill(zeros(), ({ tokens }) => tokens));
  }
}

/** The length of a bucket within the range, which may cut off the first and the last bucket. */
function minutesOf(start: number, { range, seconds }: SeriesWindow): number {
  const from = Math.max(start, range.from);
  const to = Math.min(start + seconds * 1000, range.to);
  return (to - from) / minuteMs;
}

/** The start of every bucket that overlaps the range. */
export function bucketStarts(range: TimeRange, granularity: Granularity): number[] {
  const count = bucketCount(range, granularity);
  if (count > maxBuckets) {
    throw invalid({ field: 'granularity', error: tooManyBuckets(range, count) });
  }
  const sizeMs = bucketMs(granularity);
  const first = startOfBucket(range.from, sizeMs / 1000);
  return Array.from({ length: count }, (_, n) => first + n * sizeMs);
}

function bucketCount({ from, to }: TimeRange, granularity: Granularity): number {
  const sizeMs = bucketMs(granularity);
  return Math.ceil(to / sizeMs) - Math.floor(from / sizeMs);
}

/** The contract names each granularity by its duration. */
function bucketMs(granularity: Granularity): number {
  const sizeMs = parseDuration(granularity);
  if (sizeMs === undefined) throw new Error(`The granularity ${granularity} is not a duration.`);
  return sizeMs;
}

/** Suggests the finest granularity that fits. */
function tooManyBuckets(range: TimeRange, count: number): string {
  const limit = `the range has ${count} buckets, but at most ${maxBuckets} are allowed`;
  const fitting = constraints.Granularity.enum
    .toSorted((one, other) => bucketMs(one) - bucketMs(other))
    .find((granularity) => bucketCount(range, granularity) <= maxBuckets);
  return fitting === undefined
    ? `${limit}; choose a shorter range`
    : `${limit}; choose ${fitting} or a shorter range`;
}
