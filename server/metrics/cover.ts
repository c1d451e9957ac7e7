/** Converts a time range that was split into buckets to SQL parameters. */
import type { Cover, TimeRange } from '../lib/time/time-buckets.js';

/** Returns the sizes, starts and ends of the runs. */
export function runParameters({ runs }: Cover): [number[], string[], string[]] {
  return [
    runs.map(({ size }) => size),
    runs.map(({ from }) => sqlTime(from)),
    runs.map(({ to }) => sqlTime(to)),
  ];
}

/** Returns the range that whole buckets cover, or an empty range if there are none. */
export function boundsOf({ runs }: Cover): TimeRange {
  const first = runs[0];
  const last = runs.at(-1);
  return first && last ? { from: first.from, to: last.to } : { from: 0, to: 0 };
}

export function sqlTime(time: number): string {
  if (time === Infinity) return 'infinity';
  if (time === -Infinity) return '-infinity';
  // The last bucket of 9999 ends in the year 10000, which ISO 8601 writes with a sign that PostgreSQL does not accept.
  return new Date(time).toISOString().replace(/^\+0*/, '');
}
