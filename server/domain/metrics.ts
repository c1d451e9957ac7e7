/** The rules for metrics: which buckets a series has, and what stands in each. */
import type { AgentReference, Granularity, MetricName, MetricSeries } from '../../generated/api.js';
import { startOfBucket, type TimeRange } from '../lib/time-buckets.js';
import type { Database } from '../store/database.js';
import { readUsage, type UsageBucket } from '../store/usage.js';
import { getAgent } from './agents/agents.js';
import type { Caller } from './caller.js';
import { invalid } from './errors.js';
import { rangeOf, type RangeRequest } from './time-range.js';

export interface MetricRequest extends RangeRequest {
  metric: MetricName;
  granularity: Granularity;
}

/** Finest first. */
const granularities: readonly Granularity[] = ['1m', '5m', '1h', '1d'];
const secondsOf: Record<Granularity, number> = { '1m': 60, '5m': 300, '1h': 3_600, '1d': 86_400 };
const minuteMs = 60_000;
const dayMs = 86_400_000;
const maxBuckets = 1_500;

export async function getMetrics(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  request: MetricRequest,
): Promise<MetricSeries> {
  const range = rangeOf(request, { to: Date.now(), from: (to) => to - dayMs });
  const starts = bucketsOf(range, request.granularity);
  const { id } = await getAgent(database, caller, reference);
  const seconds = secondsOf[request.granularity];
  const used = await readUsage(database, id, range, seconds);
  return seriesOf(request.metric, used, { range, starts, seconds });
}

interface Frame {
  range: TimeRange;
  /** When each bucket that touches the range starts. */
  starts: number[];
  seconds: number;
}

function seriesOf(metric: MetricName, used: UsageBucket[], frame: Frame): MetricSeries {
  const series = (unit: MetricSeries['values'][number]['unit'], values: Map<number, number>) => ({
    metric,
    values: [...values].map(([start, value]) => ({
      timestamp: new Date(start).toISOString(),
      value: Math.round(value * 1000) / 1000,
      unit,
    })),
  });
  const zeros = () => new Map(frame.starts.map((start) => [start, 0]));
  const valued = (base: Map<number, number>, value: (bucket: UsageBucket) => number) => {
    for (const bucket of used) base.set(bucket.start, value(bucket));
    return base;
  };
  switch (metric) {
    case 'response_time':
      return series(
        'ms',
        valued(new Map(), ({ durationMs, invocations }) => durationMs / invocations),
      );
    case 'throughput':
      return series(
        'requests_per_minute',
        valued(zeros(), ({ start, invocations }) => invocations / minutesOf(start, frame)),
      );
    case 'error_rate':
      return series(
        'percent',
        valued(zeros(), ({ failures, invocations }) => (100 * failures) / invocations),
      );
  }
}

/** How long the part of a bucket is that lies in the range: at its edges less than the whole. */
function minutesOf(start: number, { range, seconds }: Frame): number {
  const from = Math.max(start, range.from);
  const to = Math.min(start + seconds * 1000, range.to);
  return (to - from) / minuteMs;
}

function bucketsOf(range: TimeRange, granularity: Granularity): number[] {
  const number = bucketCount(range, granularity);
  if (number > maxBuckets) {
    throw invalid({ field: 'granularity', error: tooMany(range, number) });
  }
  const first = startOfBucket(range.from, secondsOf[granularity]);
  return Array.from({ length: number }, (_, n) => first + n * secondsOf[granularity] * 1000);
}

function bucketCount({ from, to }: TimeRange, granularity: Granularity): number {
  const size = secondsOf[granularity] * 1000;
  return Math.ceil(to / size) - Math.floor(from / size);
}

function tooMany(range: TimeRange, number: number): string {
  const limit = `the range has ${number} buckets, and ${maxBuckets} is the most`;
  const fitting = granularities.find(
    (granularity) => bucketCount(range, granularity) <= maxBuckets,
  );
  return fitting === undefined
    ? `${limit}; choose a shorter range`
    : `${limit}; ${fitting} fits, or choose a shorter range`;
}
