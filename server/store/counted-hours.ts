/**
 * Remembers what the minutes of hours add up to. Whoever folds a minute updates the row of its hour in the same statement: as long
 * as that row is the same version, the minutes need not be read again.
 */
import { putLatest } from '../lib/put-latest.js';
import type { BucketRun, Cover } from '../lib/time-buckets.js';
import type { UsageBucket, UsageBuckets } from './usage-buckets.js';

interface CountedHour {
  /** Of the row; empty if there is none. */
  version: string;
  buckets: readonly UsageBucket[];
}

/** By series and hour, the least recently used first. */
export type CountedHours = Map<string, CountedHour>;

/** A few kilobytes each at most, and enough for what dozens of dashboards show. */
const maxHours = 4_000;
const hourMs = 3_600_000;

export interface HourlyRead {
  /** What to read by the minute: hours that are not known, and what is not a whole hour. */
  runs: BucketRun[];
  /** The whole hours: their versions are read. */
  hours: number[];
  /** Those that are known: their minutes are read if the versions are others by now. */
  known: Map<number, CountedHour>;
}

export interface Series {
  agentId: string;
  bucketSeconds: number;
  sum: string | undefined;
}

const keyOf = ({ agentId, bucketSeconds, sum = '' }: Series, hour: number) =>
  `${agentId} ${bucketSeconds} ${sum} ${hour}`;

/** The cover is of hours and minutes. */
export function planHours(counted: CountedHours, series: Series, cover: Cover): HourlyRead {
  const plan: HourlyRead = { runs: [], hours: [], known: new Map() };
  const read = (from: number, to: number) => {
    const last = plan.runs.at(-1);
    if (last?.to === from) last.to = to;
    else plan.runs.push({ size: 60, from, to });
  };
  for (const { size, from, to } of cover.runs) {
    if (size === 60) read(from, to);
    for (let hour = from; size === 3_600 && hour < to; hour += hourMs) {
      plan.hours.push(hour);
      const known = counted.get(keyOf(series, hour));
      if (known) plan.known.set(hour, known);
      else read(hour, hour + hourMs);
    }
  }
  return plan;
}

/** The buckets have what was read by the minute; adds the hours that are still the same, and remembers the others. */
export function mergeHours(
  counted: CountedHours,
  series: Series,
  { hours, known }: HourlyRead,
  { buckets, versions }: { buckets: UsageBuckets; versions: ReadonlyMap<number, string> },
): void {
  const stepMs = series.bucketSeconds * 1000;
  for (const hour of hours) {
    const version = versions.get(hour) ?? '';
    let now = known.get(hour);
    if (now?.version === version) {
      // Copies, since counts that are not folded yet are added to the buckets.
      for (const bucket of now.buckets) buckets.set(bucket.start, { ...bucket });
    } else {
      now = { version, buckets: copiesWithin(buckets, hour, stepMs) };
    }
    putLatest(counted, keyOf(series, hour), now, maxHours);
  }
}

function copiesWithin(buckets: UsageBuckets, hour: number, stepMs: number): UsageBucket[] {
  const copies: UsageBucket[] = [];
  for (let start = hour; start < hour + hourMs; start += stepMs) {
    const bucket = buckets.get(start);
    if (bucket) copies.push({ ...bucket });
  }
  return copies;
}
