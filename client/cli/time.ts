/** Times as people write them on a command line, and as they like to read them. */
import { InvalidArgumentError } from 'commander';

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** In milliseconds. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined && isUnit(unit)) return Number(amount) * units[unit];
  throw new InvalidArgumentError('Write a number and a unit: 90s, 15m, 24h, 30d.');
}

function isUnit(unit: string | undefined): unit is keyof typeof units {
  return unit !== undefined && unit in units;
}

/** A moment as RFC 3339 writes it, or so long ago. */
export function moment(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return fromNow(-duration(text));
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('Write a time like 2026-11-02T09:30:00Z, or how long ago: 90m.');
}

export function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

/** To the second, which is what a person wants to see. */
export function seconds(timestamp: string | null): string {
  return timestamp === null ? '–' : timestamp.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z');
}

/** How long ago or how far ahead, in its largest unit. */
export function distance(timestamp: string | null, now = Date.now()): string {
  if (timestamp === null) return '–';
  const ahead = Date.parse(timestamp) - now;
  const size = Math.abs(ahead);
  const [unit, length] =
    Object.entries(units).findLast((entry) => size >= entry[1]) ?? (['s', units.s] as const);
  const amount = `${Math.floor(size / length)}${unit}`;
  return ahead > 0 ? `in ${amount}` : `${amount} ago`;
}
