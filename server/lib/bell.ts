/** Wakes somebody who waits for news. A ring that comes just before the wait is not lost. */
import { orAborted } from './abort.js';

export interface Bell {
  ring: () => void;
  /** Resolves at the next ring, at once if there was one since the last wait, or when the time is over. */
  wait: (atMostMs: number, signal: AbortSignal) => Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(atMostMs, signal) {
      let timer: NodeJS.Timeout | undefined;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, atMostMs);
        if (rung) resolve();
      });
      try {
        await orAborted(woken, signal);
      } finally {
        clearTimeout(timer);
        wake = undefined;
        rung = false;
      }
    },
  };
}
