/** Stops `performance.now`, so that only the test lets time pass. */
import { afterAll, beforeEach, jest } from '@jest/globals';

/** Each test of the file begins at the time when the file was loaded. */
export function useStoppedClock(): { advance: (ms: number) => void } {
  const start = performance.now();
  let now = start;
  const clock = jest.spyOn(performance, 'now');
  beforeEach(() => {
    now = start;
    clock.mockImplementation(() => now);
  });
  afterAll(() => {
    clock.mockRestore();
  });
  return {
    advance: (ms) => {
      now += ms;
    },
  };
}
