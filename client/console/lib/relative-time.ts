/** Times for people, relative to now. */
import { plural } from './words.js';

const dayMs = 86_400_000;

/** Each up to the number from which the next one is used. Months and years are too coarse for the lifetime of most keys. */
const units: [name: string, length: number, below: number][] = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', dayMs, 100],
  ['month', 30.44 * dayMs, 24],
  ['year', 365.25 * dayMs, Infinity],
];

/** What has happened is never ahead, even if the clock of the service is: then it happened just now. */
export function timeSince(at: number, from: number): string {
  const amount = amountOf(from - at);
  return amount === undefined ? 'just now' : `${amount} ago`;
}

export function timeUntil(at: number, from: number): string {
  return `in ${amountOf(at - from) ?? 'less than a minute'}`;
}

/** Undefined: less than the smallest unit. */
function amountOf(distance: number): string | undefined {
  const unit = units.find(([, length, below]) => Math.round(distance / length) < below);
  const number = unit ? Math.round(distance / unit[1]) : 0;
  return unit && number > 0 ? plural(number, unit[0]) : undefined;
}
