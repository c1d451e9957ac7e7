/** The first phase of a shutdown: every request is still served, while /readyz tells load balancers to send no more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadinessCheck } from '../http/machine-endpoints.js';

export interface LameDuck {
  readiness: ReadinessCheck;
  /** Resolves when the phase is over. */
  start: (milliseconds: number, announceClose: () => void) => Promise<void>;
}

/** `check` tells whether the service is ready otherwise. */
export function createLameDuck(check: ReadinessCheck): LameDuck {
  let isStopping = false;
  return {
    readiness: () => (isStopping ? Promise.resolve('The service is stopping.') : check()),
    start: async (milliseconds, announceClose) => {
      isStopping = true;
      announceClose();
      if (milliseconds > 0) await delay(milliseconds);
    },
  };
}
