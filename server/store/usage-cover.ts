/** Hands a range of time that was taken apart into buckets over to SQL. */
import type { Cover, TimeRange } from '../lib/time-buckets.js';

/** Sizes, starts and ends of the runs, as three arrays. */
export function runParameters({ runs }: Cover): [number[], string[], string[]] {
  return [
    runs.map(({ size }) => size),
    runs.map(({ from }) => sqlTime(from)),
    runs.map(({ to }) => sqlTime(to)),
  ];
}

/** From where to where whole buckets reach; empty if there are none. */
export function boundsOf({ runs }: Cover): TimeRange {
  const first = runs[0];
  const last = runs.at(-1);
  return first && last ? { from: first.from, to: last.to } : { from: 0, to: 0 };
}

export function sqlTime(time: number): string {
  if (time === Infinity) return 'infinity';
  if (time === -Infinity) return '-infinity';
  // The year 10000, in which the last bucket of 9999 ends, has a sign in ISO 8601 that PostgreSQL does not take.
  return new Date(time).toISOString().replace(/^\+0*/, '');
}
