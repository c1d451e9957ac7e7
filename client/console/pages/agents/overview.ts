/** The details of an agent in the list: its model and version, and its traffic in the last hour. */
import type { AgentHosting, MetricName } from '../../../src/index.js';

export interface Overview {
  model: string;
  /** Undefined if there is no deployment yet, so that the draft runs. */
  version: string | undefined;
  /** One value per bar of the sparkline. */
  invocations: number[];
  errors: number[];
}

/** The largest number of requests that `loadOverview` sends. */
export const overviewRequests = 4;

const minuteMs = 60_000;

export async function loadOverview(
  client: AgentHosting,
  agentId: string,
  signal: AbortSignal,
): Promise<Overview> {
  // Whole minutes, so that the rate per minute is the count in that minute.
  const end = Math.ceil(Date.now() / minuteMs) * minuteMs;
  const range = {
    start_time: new Date(end - 60 * minuteMs).toISOString(),
    end_time: new Date(end).toISOString(),
    granularity: '1m' as const,
  };
  const valuesOf = async (metric: MetricName) => {
    const { values } = await client.metrics.get(agentId, { metric, ...range }, { signal });
    return values.map(({ value }) => value);
  };
  const {
    data: [active],
  } = await client.deployments.list(
    agentId,
    { environment: 'production', status: 'active', limit: 1 },
    { signal },
  );
  const { model } = active ?? (await client.agents.get(agentId, { signal }));
  const invocations = await valuesOf('throughput');
  const isIdle = invocations.every((value) => value === 0);
  const rates = isIdle ? [] : await valuesOf('error_rate');
  const errors = invocations.map((value, minute) => (value * (rates[minute] ?? 0)) / 100);
  return {
    model,
    version: active?.version,
    invocations: sumsOf(invocations),
    errors: sumsOf(errors),
  };
}

/** One bar per minute would be too narrow. */
const minutesPerBar = 3;

function sumsOf(minutes: number[]): number[] {
  const sums: number[] = [];
  minutes.forEach((value, minute) => {
    const bar = Math.floor(minute / minutesPerBar);
    sums[bar] = (sums[bar] ?? 0) + value;
  });
  return sums.map(Math.round);
}
