/** Formats times relative to now. */
import { plural } from './numbers.js';

const dayMs = 86_400_000;

/** Each unit is used below this number. Days are used up to 100, since months are too coarse for the expiry of keys. */
const units: [name: string, length: number, below: number][] = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', dayMs, 100],
  ['month', 30.44 * dayMs, 24],
  ['year', 365.25 * dayMs, Infinity],
];

/** A time in the future is "just now": the clock of the service may be ahead. */
export function timeSince(at: number, from: number): string {
  const amount = amountOf(from - at);
  return amount === undefined ? 'just now' : `${amount} ago`;
}

export function timeUntil(at: number, from: number): string {
  return `in ${amountOf(at - from) ?? 'less than a minute'}`;
}

/** Undefined if it is less than the smallest unit. */
function amountOf(distance: number): string | undefined {
  const unit = units.find(([, length, below]) => Math.round(distance / length) < below);
  const number = unit ? Math.round(distance / unit[1]) : 0;
  return unit && number > 0 ? plural(number, unit[0]) : undefined;
}
