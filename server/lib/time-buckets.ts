/** Time cut into buckets that align to the epoch, and ranges of time taken apart into as few of them as possible. */

/** The sizes by which counts are kept, in seconds. */
export const bucketSizes = [60, 3_600, 86_400] as const;

export type BucketSize = (typeof bucketSizes)[number];

/** In milliseconds since the epoch, the start inclusive, the end exclusive. Infinity leaves a side open. */
export interface TimeRange {
  from: number;
  to: number;
}

/** Consecutive whole buckets of one size. */
export interface BucketRun extends TimeRange {
  size: BucketSize;
}

export interface Cover {
  /** Oldest first, with nothing between them. */
  runs: BucketRun[];
  /** What is left at the edges, where not even the smallest bucket lies whole in the range. */
  edges: TimeRange[];
}

export function startOfBucket(time: number, seconds: number): number {
  return Math.floor(time / (seconds * 1000)) * seconds * 1000;
}

/** Takes a range apart: the largest buckets in its middle, ever smaller ones towards its edges. */
export function coverRange(range: TimeRange, largest: BucketSize): Cover {
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
