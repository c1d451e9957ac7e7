/**
 * Percentiles of the response time. Get Metrics returns only the mean, so they are computed from the durations in the
 * log, for the latest invocations of the range.
 */
import type { AgentHosting, LogEntry } from '../../../src/index.js';
import { maxPageSizes } from '../../../src/generated/service.js';
import type { Selection } from './series.js';

export interface Percentiles {
  p50: number;
  p95: number;
  invocations: number;
}

/** Undefined if the log has no invocation in the range. */
export async function loadPercentiles(
  client: AgentHosting,
  agent: string,
  { environment, ...range }: Selection,
  signal: AbortSignal,
): Promise<Percentiles | undefined> {
  const query = {
    ...(environment !== undefined && { environment }),
    start_time: new Date(range.start).toISOString(),
    end_time: new Date(range.end).toISOString(),
    limit: maxPageSizes.getLogs,
  };
  const { data } = await client.logs.list(agent, query, { signal });
  return percentilesOf(data);
}

export function percentilesOf(entries: readonly LogEntry[]): Percentiles | undefined {
  const durations = entries.flatMap(({ metadata: { duration_ms, tool } }) =>
    // Entries of tool calls have a duration too.
    typeof duration_ms === 'number' && tool === undefined ? duration_ms : [],
  );
  durations.sort((one, other) => one - other);
  const at = (share: number) => durations[Math.ceil(share * durations.length) - 1];
  const [p50, p95] = [at(0.5), at(0.95)];
  if (p50 === undefined || p95 === undefined) return undefined;
  return { p50, p95, invocations: durations.length };
}
