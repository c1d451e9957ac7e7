/** Times as people write them on a command line. */
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
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - duration(text)).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('Write a time like 2026-11-02T09:30:00Z, or how long ago: 90m.');
}

/** To the second, which is what a person wants to see. */
export function seconds(timestamp: string | null): string {
  return timestamp === null ? '–' : timestamp.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z');
}
