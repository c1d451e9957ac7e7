/** Reads the contract's `start_time` and `end_time`. */
import type { Query } from '../../generated/operations.js';
import type { TimeRange } from '../lib/time/time-buckets.js';
import { invalid } from './errors.js';
import { timeOf } from './times.js';

type RangeRequest = Pick<Query<'getLogs'> & Query<'getMetrics'>, 'start_time' | 'end_time'>;

interface RangeDefaults {
  to: number;
  /** The default start of a range that ends at `to`. */
  from: (to: number) => number;
}

export function rangeOf(request: RangeRequest, defaults: RangeDefaults): TimeRange {
  const to = boundOf(request, 'end_time') ?? defaults.to;
  const from = boundOf(request, 'start_time') ?? defaults.from(to);
  // An empty range is a mistake, which an empty response would hide.
  if (from >= to) throw invalid({ field: 'start_time', error: 'must be before end_time' });
  return { from, to };
}

function boundOf(request: RangeRequest, field: keyof RangeRequest): number | undefined {
  const text = request[field];
  return text === undefined ? undefined : timeOf(text, field);
}
