/**
 * Cron expressions in time zones. Croner finds the times of an expression as a clock on the wall would show them. What a change of the
 * clock makes of them is decided here, because Croner leaves out the times of a gap, and repeats those of an overlap, if the hour is a list
 * or a range.
 */
import { Cron } from 'croner';

export interface Calendar {
  /** Five fields, which `problemWithCron` has accepted. */
  cron: string;
  /** An IANA name, which `isTimeZone` has accepted. */
  timezone: string;
}

interface Field {
  name: string;
  from: number;
  to: number;
  /** Names of the numbers, from the first. */
  names?: readonly string[];
}

const fields: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of month', from: 1, to: 31 },
  {
    name: 'month',
    from: 1,
    to: 12,
    names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' '),
  },
  { name: 'day of week', from: 0, to: 7, names: 'SUN MON TUE WED THU FRI SAT'.split(' ') },
];

/** What is wrong with an expression; undefined if it can be used. */
export function problemWithCron(cron: string): string | undefined {
  const parts = cron.split(' ');
  if (parts.length !== fields.length) {
    return `must be five fields: ${fields.map(({ name }) => name).join(', ')}`;
  }
  for (const [index, field] of fields.entries()) {
    for (const item of (parts[index] ?? '').split(',')) {
      const problem = problemWithItem(item, field);
      if (problem !== undefined) return problem;
    }
  }
  return wallTimes(cron).nextRun() === null ? 'never comes: no month has that day' : undefined;
}

function problemWithItem(item: string, field: Field): string | undefined {
  const { name, from, to } = field;
  const [, range = '', first = '', last = first, step] =
    /^(\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item) ?? [];
  if (range === '') return `has the ${name} '${item}', which is not a number, a range or *`;
  if (step !== undefined && (Number(step) < 1 || Number(step) > to)) {
    return `has the ${name} '${item}', whose step must be from 1 to ${to}`;
  }
  if (step !== undefined && range === first) {
    return `has the ${name} '${item}': a step needs a range or *, such as ${first}-${to}/${step}`;
  }
  if (range === '*') return undefined;
  const wrong = [first, last].find((value) => valueIn(field, value) === undefined);
  if (wrong !== undefined) return `has the ${name} '${wrong}', which must be from ${from} to ${to}`;
  const isBackwards = (valueIn(field, first) ?? 0) > (valueIn(field, last) ?? 0);
  return isBackwards ? `has the ${name} '${item}', which ends before it begins` : undefined;
}

function valueIn({ from, to, names = [] }: Field, text: string): number | undefined {
  const position = names.indexOf(text.toUpperCase());
  if (position !== -1) return from + position;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return value >= from && value <= to ? value : undefined;
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The first time after another; undefined if there is none. With `*` as its hour, an expression keeps its pace when the clock changes: it
 * leaves out an hour that does not exist, and goes on in one that repeats. With other hours, each time on the wall comes once: at the end
 * of a gap that contains it, and the first time in an overlap.
 */
export function nextTick({ cron, timezone }: Calendar, after: Date): Date | undefined {
  const [, hour] = cron.split(' ');
  if (hour === '*') return new Cron(cron, { timezone, ...how }).nextRun(after) ?? undefined;
  const format = formatOf(timezone);
  const times = wallTimes(cron);
  let wall = times.nextRun(new Date(wallTimeOf(format, after.getTime())));
  while (wall) {
    const tick = timeOnWall(format, wall.getTime());
    if (tick > after.getTime()) return new Date(tick);
    wall = times.nextRun(wall);
  }
  return undefined;
}

const minuteMs = 60_000;

/** The last time until another one. `first` is an earlier time. Takes a few dozen steps, however many times lie between the two. */
export function lastTick(calendar: Calendar, { first, until }: { first: Date; until: Date }): Date {
  let last = first;
  // After it comes no time until `until`. Times are at least a minute apart.
  let end = until.getTime();
  while (end - last.getTime() >= minuteMs) {
    const middle = new Date(Math.floor((last.getTime() + end) / 2));
    const next = nextTick(calendar, middle);
    if (next && next <= until) last = next;
    else end = middle.getTime();
  }
  return last;
}

const how = { mode: '5-part', paused: true } as const;

/** The times on a wall, as if its clock showed UTC and never changed. */
const wallTimes = (cron: string) => new Cron(cron, { timezone: 'UTC', ...how });

/** Farther from a time on the wall than any offset from UTC, and than the day that a zone has skipped when it changed sides. */
const aroundMs = 36 * 60 * minuteMs;

/** The instant at which a clock shows the time: the first of two, or the end of the gap if there is none. */
function timeOnWall(format: Intl.DateTimeFormat, wall: number): number {
  const offsets = [wall - aroundMs, wall + aroundMs].map((near) => wallTimeOf(format, near) - near);
  const candidates = offsets.map((offset) => wall - offset).sort((one, other) => one - other);
  const found = candidates.find((time) => wallTimeOf(format, time) === wall);
  if (found !== undefined) return found;
  // The change lies between the two candidates: before it, the clock shows less.
  let [before = wall, after = wall] = candidates;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTimeOf(format, middle) < wall) before = middle;
    else after = middle;
  }
  return after;
}

/** What a clock in the zone shows, in milliseconds as if it showed UTC. */
function wallTimeOf(format: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const seconds = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return seconds + (time - Math.floor(time / 1_000) * 1_000);
}

/** By time zone, because they take longer to create than to use. There are a few hundred. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws if there is no such zone. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}
