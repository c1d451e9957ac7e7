/** Loads all metrics of a time range, by bucket. */
import type { AgentHosting, Granularity, MetricName } from '../../../src/index.js';

export interface Range {
  start: number;
  end: number;
}

/** What is counted. Without an environment, all of them. */
export interface Selection extends Range {
  environment?: string | undefined;
}

/** Null for a bucket without invocations. */
type Values = (number | null)[];

export interface MetricTable extends Record<MetricName, Values> {
  /** The start of each bucket, in seconds. */
  times: number[];
  range: Range;
  granularity: Granularity;
}

export const bucketMs: Record<Granularity, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
};

/** Chooses a few hundred buckets, as many as a chart can show and fewer than the service allows. */
export function granularityOf({ start, end }: Range): Granularity {
  const span = end - start;
  if (span <= 6 * 3_600_000) return '1m';
  if (span <= 2 * 86_400_000) return '5m';
  return span <= 45 * 86_400_000 ? '1h' : '1d';
}

export async function loadMetrics(
  client: AgentHosting,
  agent: string,
  { environment, ...range }: Selection,
  signal: AbortSignal,
  granularity = granularityOf(range),
): Promise<MetricTable> {
  const query = {
    ...(environment !== undefined && { environment }),
    start_time: new Date(range.start).toISOString(),
    end_time: new Date(range.end).toISOString(),
    granularity,
  };
  const load = async (metric: MetricName) =>
    (await client.metrics.get(agent, { metric, ...query }, { signal })).values;
  const [throughput, ...others] = await Promise.all([
    load('throughput'),
    load('error_rate'),
    load('response_time'),
    load('token_usage'),
  ]);
  // These metrics omit buckets without a value.
  const [error_rate, response_time, token_usage] = others.map((values) => {
    const known = new Map(values.map(({ timestamp, value }) => [timestamp, value]));
    return throughput.map(({ timestamp }) => known.get(timestamp) ?? null);
  }) as [Values, Values, Values];
  return {
    times: throughput.map(({ timestamp }) => Date.parse(timestamp) / 1_000),
    throughput: throughput.map(({ value }) => value),
    error_rate,
    response_time,
    token_usage,
    range,
    granularity,
  };
}

/** Uses large buckets, which are sufficient for totals. */
export async function loadTotals(
  client: AgentHosting,
  agent: string,
  range: Range,
  signal: AbortSignal,
): Promise<Totals> {
  const granularity = range.end - range.start <= 2 * bucketMs['1d'] ? '1h' : '1d';
  return totalsOf(await loadMetrics(client, agent, range, signal, granularity));
}

export interface Totals {
  invocations: number;
  errors: number;
  tokens: number;
  /** Undefined without invocations. */
  responseTime: number | undefined;
}

export function totalsOf(table: MetricTable): Totals {
  const { times, throughput, error_rate, response_time, range, granularity } = table;
  let [invocations, errors, time] = [0, 0, 0];
  times.forEach((seconds, index) => {
    const begin = Math.max(range.start, seconds * 1_000);
    const end = Math.min(range.end, seconds * 1_000 + bucketMs[granularity]);
    const number = ((throughput[index] ?? 0) * Math.max(0, end - begin)) / 60_000;
    invocations += number;
    errors += (number * (error_rate[index] ?? 0)) / 100;
    time += number * (response_time[index] ?? 0);
  });
  return {
    invocations: Math.round(invocations),
    errors: Math.round(errors),
    tokens: table.token_usage.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    responseTime: invocations > 0 ? time / invocations : undefined,
  };
}
