/** The clock of the process follows the database's, and a large difference is warned of once. */
import { afterEach, expect, test } from '@jest/globals';
import { adjustClock, currentTime } from '../../server/lib/time/clock.js';
import { followClock } from '../../server/postgres/clock-warning.js';

afterEach(() => {
  adjustClock({ offsetMs: 0, toleranceMs: 0 });
});

test('time jumps only by more than the error of a reading', () => {
  expect(adjustClock({ offsetMs: 40, toleranceMs: 50 })).toBe(0);
  expect(adjustClock({ offsetMs: 61_000, toleranceMs: 50 })).toBe(61_000);
  expect(adjustClock({ offsetMs: 61_049, toleranceMs: 50 })).toBe(61_000);
  expect(Math.abs(currentTime() - Date.now() - 61_000)).toBeLessThan(1_000);
});

test('a warning is repeated only if the difference changes much, and taken back', () => {
  const said: string[] = [];
  const follow = followClock((message) => void said.push(message));
  const read = (offsetMs: number) => {
    follow({ offsetMs, toleranceMs: 5 });
    return said.splice(0);
  };
  expect(read(4_000)).toEqual([]);
  expect(read(-3_600_000)).toEqual([
    expect.stringContaining("This machine's clock is 3600 s ahead of the database's."),
  ]);
  expect(read(-3_601_000)).toEqual([]);
  expect(read(60_000)).toEqual([expect.stringContaining('60 s behind')]);
  expect(read(10)).toEqual(["This machine's clock agrees with the database's again."]);
  expect(read(0)).toEqual([]);
});
