/** When the requests of a load begin, and when it is over. */

export interface Pace {
  isDone: () => boolean;
  /** Calls `send` when the next request is due, with the time from which its latency counts. False: none is left. */
  begin: (send: (at: number) => void) => boolean;
}

export interface PaceOptions {
  milliseconds: number;
  maxRequests: number;
  /** Undefined: each request is due at once. */
  perSecond?: number;
}

export function createPace({ milliseconds, maxRequests, perSecond }: PaceOptions): Pace {
  const start = performance.now();
  const end = start + milliseconds;
  let begun = 0;
  const dueAt = () =>
    perSecond === undefined ? performance.now() : start + (begun * 1000) / perSecond;
  const isDone = () => begun >= maxRequests || Math.max(dueAt(), performance.now()) > end;
  return {
    isDone,
    begin: (send) => {
      if (isDone()) return false;
      const due = dueAt();
      begun += 1;
      const waitMs = due - performance.now();
      // A request that had to wait for a connection is late by that time. That a timer is late is not the server's fault.
      if (waitMs <= 0) send(due);
      else {
        setTimeout(() => {
          send(performance.now());
        }, waitMs);
      }
      return true;
    },
  };
}
