/** Puts the timers of the client under the control of a test. */
import { afterEach, beforeEach, jest } from '@jest/globals';

export interface ClientTimers {
  /** The delays of all timers that the client has set in this test, in order. */
  delays: () => unknown[];
  /** How many of them have not fired yet. */
  pending: () => number;
  advance: (ms: number) => void;
}

/** For the tests of the describe block that calls this. Only `setTimeout` is replaced. */
export function useClientTimers(): ClientTimers {
  let setTimeoutSpy: jest.Spied<typeof setTimeout>;
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'performance',
        'nextTick',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setInterval',
        'clearInterval',
      ],
    });
    setTimeoutSpy = jest.spyOn(globalThis, 'setTimeout');
  });
  afterEach(() => {
    setTimeoutSpy.mockRestore();
    jest.useRealTimers();
  });
  return {
    delays: () => setTimeoutSpy.mock.calls.map(([, ms]) => ms),
    pending: () => jest.getTimerCount(),
    advance: (ms) => {
      jest.advanceTimersByTime(ms);
    },
  };
}
