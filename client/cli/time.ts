/** Parses durations and times from the command line, and formats them. */
import { InvalidArgumentError } from 'commander';

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** In milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined && isUnit(unit)) return Number(amount) * units[unit];
  throw new InvalidArgumentError('Write a number and a unit: 90s, 15m, 24h, 30d.');
}

function isUnit(unit: string | undefined): unit is keyof typeof units {
  return unit !== undefined && unit in units;
}

/** Returns an RFC 3339 timestamp, from a date, a date and time, or a duration before now. */
export function parseTime(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return timestampFromNow(-parseDuration(text));
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('Write a time like 2026-11-02T09:30:00Z, or how long ago: 90m.');
}

export function timestampFromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

/** Without fractions of a second. */
export function formatTimestamp(timestamp: string | null): string {
  return timestamp === null ? '–' : timestamp.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z');
}

/** The distance from now in its largest unit, such as `3d ago`. */
export function formatRelativeTime(timestamp: string | null): string {
  if (timestamp === null) return '–';
  const fromNow = Date.parse(timestamp) - Date.now();
  const distance = Math.abs(fromNow);
  const [unit, length] =
    Object.entries(units).findLast((entry) => distance >= entry[1]) ?? (['s', units.s] as const);
  const amount = `${Math.floor(distance / length)}${unit}`;
  return fromNow > 0 ? `in ${amount}` : `${amount} ago`;
}
