/** Reads the contract's `start_time` and `end_time`. */
import type { TimeRange } from '../lib/time-buckets.js';
import { invalid } from './errors.js';

export interface RangeRequest {
  start_time?: string;
  end_time?: string;
}

export interface RangeDefaults {
  to: number;
  /** The start of a range that ends then. */
  from: (to: number) => number;
}

export function rangeOf(request: RangeRequest, defaults: RangeDefaults): TimeRange {
  const to = timeOf(request, 'end_time') ?? defaults.to;
  const from = timeOf(request, 'start_time') ?? defaults.from(to);
  // A range with nothing in it is a mistake, and an empty answer would hide it.
  if (from >= to) throw invalid({ field: 'start_time', error: 'must be before end_time' });
  return { from, to };
}

function timeOf(request: RangeRequest, field: keyof RangeRequest): number | undefined {
  const text = request[field];
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  // RFC 3339 has leap seconds; no clock of ours shows them.
  if (Number.isNaN(time)) throw invalid({ field, error: 'must not be a leap second' });
  return time;
}
