/** The first phase of a shutdown: requests are still served, while /readyz tells load balancers to send no more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadinessCheck } from '../http/system-endpoints.js';

interface LameDuck {
  readiness: ReadinessCheck;
  /** Aborts when the phase begins. */
  stopping: AbortSignal;
  /** Resolves when the phase is over. */
  start: (milliseconds: number, announceClose: () => void) => Promise<void>;
}

/** `check` decides readiness until the phase begins. */
export function createLameDuck(check: ReadinessCheck): LameDuck {
  const stopping = new AbortController();
  return {
    stopping: stopping.signal,
    readiness: () =>
      stopping.signal.aborted ? Promise.resolve({ problem: 'The service is stopping.' }) : check(),
    start: async (milliseconds, announceClose) => {
      stopping.abort();
      announceClose();
      if (milliseconds > 0) await delay(milliseconds);
    },
  };
}
