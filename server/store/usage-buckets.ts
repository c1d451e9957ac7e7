/** Adds counts up to the buckets of a time series. */
import { startOfBucket } from '../lib/time-buckets.js';

export interface UsageBucket {
  /** In milliseconds since the epoch. */
  start: number;
  invocations: number;
  /** What was asked for; else 0. */
  sum: number;
}

/** By their starts. */
export type UsageBuckets = Map<number, UsageBucket>;

/** Numbers as PostgreSQL sends them, of eight bytes each; null if there are none. */
export interface PackedCounts {
  /** In microseconds since the year 2000. */
  times: Buffer | null;
  invocations: Buffer | null;
  sums: Buffer | null;
}

export function addCounts(buckets: UsageBuckets, packed: PackedCounts, seconds: number): void {
  const [invocations, sums] = [packed.invocations, packed.sums].map(numbersOf);
  for (const [row, time] of timesOf(packed).entries()) {
    const start = startOfBucket(time, seconds);
    let bucket = buckets.get(start);
    if (!bucket) {
      bucket = { start, invocations: 0, sum: 0 };
      buckets.set(start, bucket);
    }
    bucket.invocations += invocations?.[row] ?? 0;
    bucket.sum += sums?.[row] ?? 0;
  }
}

const year2000 = Date.UTC(2000, 0, 1);

/** In milliseconds since the epoch. */
export function timesOf({ times }: Pick<PackedCounts, 'times'>): Float64Array {
  return numbersOf(times).map((time) => year2000 + time / 1000);
}

/** Exact up to 2 ** 53. */
function numbersOf(packed: Buffer | null): Float64Array {
  const numbers = new Float64Array((packed?.length ?? 0) / 8);
  if (!packed) return numbers;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  for (let n = 0; n < numbers.length; n += 1) {
    numbers[n] = view.getInt32(8 * n) * 2 ** 32 + view.getUint32(8 * n + 4);
  }
  return numbers;
}

/** Those with invocations, oldest first. */
export function nonEmpty(buckets: UsageBuckets): UsageBucket[] {
  const found = [...buckets.values()].filter(({ invocations }) => invocations > 0);
  // Tokens of invocations from before they were counted are subtracted when these are deleted.
  for (const bucket of found) bucket.sum = Math.max(0, bucket.sum);
  return found.sort((one, other) => one.start - other.start);
}
