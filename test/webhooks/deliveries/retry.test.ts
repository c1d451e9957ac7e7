/** The retry schedule that the contract promises. */
import { describe, expect, test } from '@jest/globals';
import { formatDelay, maxAttempts, retryDelay } from '../../../server/webhooks/deliveries/retry.js';
import { parseRetryAfter } from '../../../server/lib/net/retry-after.js';

const hour = 3_600_000;

test('there are ten attempts over 75 hours, with the documented delays', () => {
  const pauses = Array.from({ length: 10 }, (_, index) =>
    retryDelay(index + 1, { random: () => 0 }),
  );
  expect(pauses).toEqual([
    5_000,
    300_000,
    1_800_000,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
    null,
  ]);
  expect(maxAttempts).toBe(10);
  expect(pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0)).toBeGreaterThan(75 * hour);
});

test('jitter makes a delay up to a fifth longer, and never shorter', () => {
  expect(retryDelay(1, { random: () => 0.5 })).toBe(5_500);
  for (let n = 0; n < 200; n += 1) {
    const pause = retryDelay(2) ?? 0;
    expect(pause).toBeGreaterThanOrEqual(300_000);
    expect(pause).toBeLessThanOrEqual(360_000);
  }
});

test('Retry-After extends a delay up to a day, but adds no attempt', () => {
  const random = () => 0;
  expect(retryDelay(1, { retryAfterMs: 60_000, random })).toBe(60_000);
  expect(retryDelay(3, { retryAfterMs: 60_000, random })).toBe(1_800_000);
  expect(retryDelay(1, { retryAfterMs: 1e12, random })).toBe(24 * hour);
  expect(retryDelay(10, { retryAfterMs: 60_000, random })).toBeNull();
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-02T09:30:00Z');
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Mon, 02 Nov 2026 09:31:00 GMT', 60_000],
    ['Mon, 02 Nov 2026 09:00:00 GMT', 0],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-11-02', undefined],
    ['never', undefined],
    ['99999999999', undefined],
    [undefined, undefined],
  ])('%p is %p', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});

test('delays are formatted in words', () => {
  expect([1_000, 5_400, 60_000, 1_800_000, hour, 24 * hour].map(formatDelay)).toEqual([
    '1 second',
    '5 seconds',
    '1 minute',
    '30 minutes',
    '1 hour',
    '24 hours',
  ]);
});
