/** A time range in the address: one that ends now, or one with a custom start and end. */
import type { Query } from './router.js';

export const ranges = {
  '15m': { title: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { title: 'Last hour', ms: 3_600_000 },
  '6h': { title: 'Last 6 hours', ms: 6 * 3_600_000 },
  '24h': { title: 'Last 24 hours', ms: 86_400_000 },
  '7d': { title: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { title: 'Last 30 days', ms: 30 * 86_400_000 },
} as const;

export type RangeName = keyof typeof ranges;

export const rangeNames = Object.keys(ranges) as RangeName[];

export interface TimeRange {
  /** Undefined for no limit. */
  start: number | undefined;
  /** Undefined for now. */
  end: number | undefined;
  /** Undefined for a custom range. */
  name: RangeName | undefined;
}

export function readRange(query: URLSearchParams, fallback?: RangeName): TimeRange {
  const moment = (name: string) => {
    const at = Date.parse(query.get(name) ?? '');
    return Number.isNaN(at) ? undefined : at;
  };
  const [start, end] = [moment('start'), moment('end')];
  if (start !== undefined || end !== undefined) return { start, end, name: undefined };
  const name = rangeNames.find((candidate) => candidate === query.get('range')) ?? fallback;
  return { start: name && Date.now() - ranges[name].ms, end: undefined, name };
}

export function rangeQuery(name: RangeName | undefined): Query {
  return { range: name, start: undefined, end: undefined };
}

export function customRangeQuery(start: number | undefined, end: number | undefined): Query {
  return { range: undefined, start: isoTime(start), end: isoTime(end) };
}

export function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
