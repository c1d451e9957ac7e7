/** The first phase of a shutdown: every request is still served, while /readyz tells load balancers to send no more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadinessCheck } from '../http/machine-endpoints.js';

/** In which clients with a connection to an instance that is replaced are asked to open another one. */
const handOverMs = 2_000;

export interface LameDuck {
  readiness: ReadinessCheck;
  /** Aborts when it begins. */
  stopping: AbortSignal;
  /** For an instance whose successor listens on the same port: load balancers are to notice nothing. */
  keepReady: () => void;
  /** Resolves when the phase is over. */
  start: (milliseconds: number, announceClose: () => void) => Promise<void>;
}

/** `check` tells whether the service is ready otherwise. */
export function createLameDuck(check: ReadinessCheck): LameDuck {
  const stopping = new AbortController();
  let isReplaced = false;
  return {
    stopping: stopping.signal,
    keepReady: () => {
      isReplaced = true;
    },
    readiness: () =>
      stopping.signal.aborted && !isReplaced
        ? Promise.resolve('The service is stopping.')
        : check(),
    start: async (milliseconds, announceClose) => {
      stopping.abort();
      announceClose();
      const waitMs = isReplaced ? Math.max(milliseconds, handOverMs) : milliseconds;
      if (waitMs > 0) await delay(waitMs);
    },
  };
}
