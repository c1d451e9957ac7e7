/** Cron expressions on days on which clocks change, in leap years, and after long outages. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isTimeZone,
  lastTick,
  nextTick,
  problemWithCron,
} from '../../../server/lib/time/calendar.js';

/** The times of an expression in a range, which excludes its start; at most as many as `limit`. */
function ticks(
  cron: string,
  timezone: string,
  from: string,
  to: string,
  limit = Infinity,
): string[] {
  const found: string[] = [];
  let tick = nextTick({ cron, timezone }, new Date(from));
  while (tick && tick <= new Date(to) && found.length < limit) {
    found.push(tick.toISOString().replace(':00.000Z', 'Z'));
    tick = nextTick({ cron, timezone }, tick);
  }
  return found;
}

describe('an expression is refused', () => {
  test.each([
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['60 * * * *', "the minute '60', which must be from 0 to 59"],
    ['0 24 * * *', "the hour '24', which must be from 0 to 23"],
    ['0 0 0 * *', "the day of month '0', which must be from 1 to 31"],
    ['0 0 * 13 *', "the month '13', which must be from 1 to 12"],
    ['0 0 * * 8', "the day of week '8', which must be from 0 to 7"],
    ['0 0 * FOO *', "the month 'FOO', which must be from 1 to 12"],
    ['MON 0 * * *', "the minute 'MON', which must be from 0 to 59"],
    ['*/0 * * * *', "the minute '*/0', whose step must be from 1 to 59"],
    ['*/60 * * * *', "the minute '*/60', whose step must be from 1 to 59"],
    ['5/10 * * * *', "the minute '5/10': a step needs a range or *, such as 5-59/10"],
    ['30-10 * * * *', "the minute '30-10', which ends before it begins"],
    ['0,,5 * * * *', "the minute '', which is not"],
    ['*-5 * * * *', "the minute '*-5', which is not"],
    ['0 0 L * *', "the day of month 'L'"],
    ['0 0 * * 5#2', "the day of week '5#2', which is not"],
    ['0 0 31 2 *', 'never comes'],
    ['0 0 30,31 FEB *', 'never comes'],
    ['0 0 31 4,6,9,11 *', 'never comes'],
  ])('%s', (cron, problem) => {
    expect(problemWithCron(cron)).toContain(problem);
  });
});

test.each([
  '* * * * *',
  '*/5 8-18/2 1,15 JAN-mar mon-FRI',
  '0 0 29 2 *',
  '0 0 31 2 1',
  '59 23 31 12 7',
])('%s is accepted', (cron) => {
  expect(problemWithCron(cron)).toBeUndefined();
});

test.each([
  ['Europe/Paris', true],
  ['UTC', true],
  ['Australia/Lord_Howe', true],
  ['Mars/Olympus', false],
  ['Europe', false],
])('%s is a time zone: %s', (name, isKnown) => {
  expect(isTimeZone(name)).toBe(isKnown);
});

describe('when clocks go forward', () => {
  test.each([
    ['Europe/Paris', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    [
      'Europe/Paris',
      '30 2,14 * * *',
      '2026-03-29T00:00Z',
      ['2026-03-29T01:00Z', '2026-03-29T12:30Z', '2026-03-30T00:30Z'],
    ],
    [
      'Europe/Paris',
      '*/15 2 * * *',
      '2026-03-28T12:00Z',
      [
        '2026-03-29T01:00Z',
        '2026-03-30T00:00Z',
        '2026-03-30T00:15Z',
        '2026-03-30T00:30Z',
        '2026-03-30T00:45Z',
      ],
    ],
    [
      'Europe/Paris',
      '0 2,3 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:00Z', '2026-03-30T01:00Z'],
    ],
    [
      'America/New_York',
      '30 2 * * *',
      '2026-03-07T12:00Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    [
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-03T00:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    [
      'Australia/Lord_Howe',
      '45 2 * * *',
      '2026-10-03T00:00Z',
      ['2026-10-03T15:45Z', '2026-10-04T15:45Z'],
    ],
    // At midnight.
    ['Africa/Cairo', '0 0 * * *', '2026-04-23T12:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
  ])('%s: %s comes once on that day', (zone, cron, from, expected) => {
    expect(ticks(cron, zone, from, '2100-01-01', expected.length)).toEqual(expected);
  });

  test('an hour that does not exist is left out of every hour', () => {
    const found = ticks('30 * * * *', 'Europe/Paris', '2026-03-29T00:00Z', '2026-03-29T03:00Z');
    expect(found).toEqual(['2026-03-29T00:30Z', '2026-03-29T01:30Z', '2026-03-29T02:30Z']);
  });

  test('a day that a zone has skipped comes at its end', () => {
    const found = ticks('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', '2012-12-31T00:00Z');
    expect(found).toEqual(['2011-12-30T10:00Z', '2012-12-29T22:00Z']);
  });
});

describe('when clocks go back', () => {
  test.each([
    ['Europe/Paris', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    [
      'Europe/Paris',
      '30 2,14 * * *',
      '2026-10-25T00:00Z',
      ['2026-10-25T00:30Z', '2026-10-25T13:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'Europe/Paris',
      '*/30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-26T01:00Z', '2026-10-26T01:30Z'],
    ],
    [
      'Europe/Paris',
      '0 1-4 * * *',
      '2026-10-24T12:00Z',
      [
        '2026-10-24T23:00Z',
        '2026-10-25T00:00Z',
        '2026-10-25T02:00Z',
        '2026-10-25T03:00Z',
        '2026-10-26T00:00Z',
        '2026-10-26T01:00Z',
        '2026-10-26T02:00Z',
        '2026-10-26T03:00Z',
      ],
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    ],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    ],
  ])('%s: %s comes once on that day', (zone, cron, from, expected) => {
    expect(ticks(cron, zone, from, '2100-01-01', expected.length)).toEqual(expected);
  });

  test.each([
    ['2026-10-25T00:45Z', '2026-10-26T01:30Z'],
    ['2026-10-25T01:00Z', '2026-10-26T01:30Z'],
    ['2026-10-25T01:15Z', '2026-10-26T01:30Z'],
  ])('from %s, within the repeated hour, it does not come a second time', (from, expected) => {
    const [next] = ticks('30 2 * * *', 'Europe/Paris', from, '2026-10-27T00:00Z');
    expect(next).toBe(expected);
  });

  test('every hour goes on in the hour that repeats', () => {
    const found = ticks('30 * * * *', 'Europe/Paris', '2026-10-25T00:00Z', '2026-10-25T03:00Z');
    expect(found).toEqual(['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z']);
  });
});

test('a leap day comes every four years, and not in 2100', () => {
  const found = ticks('0 0 29 2 *', 'UTC', '2090-01-01T00:00Z', '2105-01-01T00:00Z');
  expect(found).toEqual(['2092-02-29T00:00Z', '2096-02-29T00:00Z', '2104-02-29T00:00Z']);
});

test('either of two days is enough', () => {
  const found = ticks('0 0 13 * FRI', 'UTC', '2026-10-31T00:00Z', '2026-11-15T00:00Z');
  expect(found).toEqual(['2026-11-06T00:00Z', '2026-11-13T00:00Z']);
});

test('the next time is later, also by a millisecond', () => {
  const minutely = { cron: '* * * * *', timezone: 'Europe/Paris' };
  const daily = { cron: '30 2 * * *', timezone: 'Europe/Paris' };
  for (const calendar of [minutely, daily]) {
    const tick = nextTick(calendar, new Date('2026-11-18T00:00:00.000Z')) ?? new Date(NaN);
    expect(nextTick(calendar, new Date(tick.getTime() - 1))).toEqual(tick);
    expect(nextTick(calendar, tick)).not.toEqual(tick);
    expect(nextTick(calendar, new Date(tick.getTime() + 1))).not.toEqual(tick);
  }
});

describe('after an outage', () => {
  test.each([
    ['* * * * *', '2025-11-19T10:00Z', '2026-11-19T12:34:56.789Z', '2026-11-19T12:34Z'],
    ['* * * * *', '2026-11-19T12:34Z', '2026-11-19T12:34:00.000Z', '2026-11-19T12:34Z'],
    ['30 2 * * *', '2026-03-01T01:30Z', '2026-03-29T12:00Z', '2026-03-29T01:00Z'],
    ['30 2 * * *', '2026-10-01T00:30Z', '2026-10-25T12:00Z', '2026-10-25T00:30Z'],
    ['0 0 29 2 *', '2024-02-28T23:00Z', '2026-11-19T00:00Z', '2024-02-28T23:00Z'],
    ['0 0 1 1 *', '2020-12-31T23:00Z', '2026-11-19T00:00Z', '2025-12-31T23:00Z'],
  ])('of %s from %s to %s, the last missed time is %s', (cron, first, until, expected) => {
    const calendar = { cron, timezone: 'Europe/Paris' };
    const last = lastTick(calendar, { first: new Date(first), until: new Date(until) });
    expect(last).toEqual(new Date(expected));
  });

  test('of a year, the last of half a million times is found in a few steps', () => {
    const calendar = { cron: '* * * * *', timezone: 'Europe/Paris' };
    const startedAt = performance.now();
    lastTick(calendar, { first: new Date('2025-11-19'), until: new Date('2026-11-19') });
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

/** Finds times minute by minute, and so slowly that nothing about it is clever. */
function ticksByBruteForce(cron: string, timezone: string, from: number, to: number): string[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const [minute = '', hour = '', day = '', , weekday = ''] = cron.split(' ');
  const matches = (list: string, value: string) =>
    list === '*' || list.split(',').some((one) => Number(one) === Number(value));
  const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const found: string[] = [];
  for (let time = from + 60_000; time <= to; time += 60_000) {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    const isDay =
      day !== '*' && weekday !== '*'
        ? matches(day, part('day')) || matches(weekday, String(weekdays.indexOf(part('weekday'))))
        : matches(day, part('day')) && matches(weekday, String(weekdays.indexOf(part('weekday'))));
    if (matches(minute, part('minute')) && matches(hour, part('hour')) && isDay) {
      found.push(new Date(time).toISOString().replace(':00.000Z', 'Z'));
    }
  }
  return found;
}

const list = (from: number, to: number) =>
  fc
    .uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 3 })
    .map((values) => values.join(','));
const orAny = (values: fc.Arbitrary<string>) => fc.oneof(fc.constant('*'), values);

describe('random expressions', () => {
  test('come whenever a clock on the wall shows them, if its offset does not change', () => {
    fc.assert(
      fc.property(
        fc.tuple(orAny(list(0, 59)), orAny(list(0, 23)), orAny(list(1, 28)), orAny(list(0, 6))),
        fc.constantFrom('UTC', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'America/Phoenix'),
        fc.integer({ min: 0, max: 400 }),
        ([minute, hour, day, weekday], zone, offset) => {
          const cron = `${minute} ${hour} ${day} * ${weekday}`;
          const from = Date.parse('2026-01-01T00:00Z') + offset * 86_400_000;
          const to = from + 30 * 3_600_000;
          const iso = (time: number) => new Date(time).toISOString();
          const expected = ticksByBruteForce(cron, zone, from, to);
          expect(ticks(cron, zone, iso(from), iso(to))).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('of every hour come whenever a clock shows them, also around a change', () => {
    fc.assert(
      fc.property(
        fc.tuple(orAny(list(0, 59)), orAny(list(24, 31))),
        fc.constantFrom(
          ['Europe/Paris', '2026-03-28T22:00Z'],
          ['Europe/Paris', '2026-10-24T22:00Z'],
          ['America/New_York', '2026-03-08T04:00Z'],
          ['America/New_York', '2026-11-01T04:00Z'],
          ['Australia/Lord_Howe', '2026-10-03T13:00Z'],
          ['Australia/Lord_Howe', '2026-04-04T13:00Z'],
          ['Africa/Cairo', '2026-10-29T19:00Z'],
        ),
        ([minute, day], [zone = '', start = '']) => {
          const cron = `${minute} * ${day} * *`;
          const from = Date.parse(start);
          const to = from + 8 * 3_600_000;
          const expected = ticksByBruteForce(cron, zone, from, to);
          expect(ticks(cron, zone, start, new Date(to).toISOString())).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });
});
