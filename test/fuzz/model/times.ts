/** The model of time ranges and of metrics over them. */
import { assertMatches, formatted } from '../mismatch.js';
import { agentMissing } from './agents.js';
import { checkFields } from './lists.js';
import { type Refusal, type Rules, when } from './rule.js';
import { agentOf, type Call } from './state.js';

const day = 86_400_000;
const bucketMs: Record<string, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '1h': 3_600_000,
  '1d': day,
};
const units: Record<string, string> = {
  response_time: 'ms',
  throughput: 'requests_per_minute',
  error_rate: 'percent',
  token_usage: 'tokens',
};
const maxBuckets = 1_500;

interface Series {
  values: { timestamp: string; value: number; unit: string }[];
}

/** A start that is not before the end is a 400. */
export function timeRangeRefusals({ request: { query } }: Call): Refusal[] {
  const { start_time: start, end_time: end } = query;
  const isEmpty = start !== undefined && end !== undefined && Date.parse(start) >= Date.parse(end);
  return when(isEmpty, { status: 400, field: 'start_time' });
}

export const metricRules = {
  getMetrics: {
    refusals: (call) => {
      const { from, to } = rangeOf(call);
      const isEmpty = from >= to;
      return [
        ...agentMissing(call),
        ...when(isEmpty, { status: 400, field: 'start_time' }),
        ...when(!isEmpty && startsOf(call).length > maxBuckets, {
          status: 400,
          field: 'granularity',
        }),
      ];
    },
    checkAndApply: (call, data: Series) => {
      const { pointer } = call.request.operation;
      const { metric = '', environment } = call.request.query;
      const times = data.values.map(({ timestamp }) => Date.parse(timestamp));
      checkFields(call, data, { metric });
      for (const value of data.values) checkFields(call, value, { unit: units[metric] });
      const starts = startsOf(call);
      const isExpected =
        metric === 'response_time'
          ? times.every((time, index) => starts.includes(time) && time > (times[index - 1] ?? -1))
          : sameOrNext(times, starts);
      assertMatches(
        isExpected,
        pointer,
        () =>
          `The buckets start at ${formatted(starts.slice(0, 3))}…, but the values are at ${formatted(data.values.slice(0, 3))}…`,
      );
      const ran = [...agentOf(call).invocations.values()];
      if (ran.some((own) => environment === undefined || environment === own)) return;
      assertMatches(
        data.values.every(({ value }) => value === 0) &&
          (metric !== 'response_time' || times.length === 0),
        pointer,
        () => `The agent was never invoked there, but the values are ${formatted(data.values)}`,
      );
    },
  },
} satisfies Rules;

/** A bucket may have begun between the response and now. */
function sameOrNext(times: number[], starts: number[]): boolean {
  const missing = starts.length - times.length;
  return (missing === 0 || missing === 1) && times.every((time, index) => time === starts[index]);
}

function rangeOf({ request: { query } }: Call): { from: number; to: number } {
  const to = query['end_time'] === undefined ? Date.now() : Date.parse(query['end_time']);
  return {
    to,
    from: query['start_time'] === undefined ? to - day : Date.parse(query['start_time']),
  };
}

function startsOf(call: Call): number[] {
  const { from, to } = rangeOf(call);
  const size = bucketMs[call.request.query['granularity'] ?? '1h'] ?? 0;
  const first = Math.floor(from / size);
  const count = Math.max(0, Math.ceil(to / size) - first);
  return Array.from({ length: Math.min(count, maxBuckets + 1) }, (_, n) => (first + n) * size);
}
