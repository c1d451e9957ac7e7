/** Time buckets that are aligned to the epoch, and the smallest set of buckets that covers a time range. */

/** In seconds. */
export const bucketSizes = [60, 300, 3_600, 86_400] as const;

type BucketSize = (typeof bucketSizes)[number];

/** In milliseconds since the epoch; `from` is inclusive, `to` exclusive. Infinity leaves a side open. */
export interface TimeRange {
  from: number;
  to: number;
}

/** Consecutive buckets of one size. */
interface BucketRun extends TimeRange {
  size: BucketSize;
}

export interface Cover {
  /** Oldest first, without gaps. */
  runs: BucketRun[];
  /** The remainders at both ends, which are smaller than the smallest bucket. */
  edges: TimeRange[];
}

export function startOfBucket(time: number, seconds: number): number {
  return Math.floor(time / (seconds * 1000)) * seconds * 1000;
}

/** Covers a range with the largest buckets, of up to `largest` seconds, in the middle and smaller ones towards its ends. */
export function coverRange(range: TimeRange, largest: number): Cover {
  const sizes = bucketSizes.filter((size) => size <= largest).reverse();
  return coverWith(range, sizes);
}

function coverWith({ from, to }: TimeRange, sizes: readonly BucketSize[]): Cover {
  if (from >= to) return { runs: [], edges: [] };
  const [size, ...smaller] = sizes;
  if (size === undefined) return { runs: [], edges: [{ from, to }] };
  const first = -startOfBucket(-from, size);
  const end = startOfBucket(to, size);
  if (first >= end) return coverWith({ from, to }, smaller);
  const before = coverWith({ from, to: first }, smaller);
  const after = coverWith({ from: end, to }, smaller);
  return {
    runs: [...before.runs, { size, from: first, to: end }, ...after.runs],
    edges: [...before.edges, ...after.edges],
  };
}
