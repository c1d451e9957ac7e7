/** Lets a loop sleep until there is work. A wake-up while the loop is running is not lost. */
import { orAborted } from './abort.js';

export interface WakeUp {
  wake: () => void;
  /** Wakes the loop a few milliseconds later, to handle several events together. */
  wakeSoon: () => void;
  /** Resolves at the next wake-up, at once if there was one since the last wait, or after `maxMs`. */
  wait: (maxMs: number, signal?: AbortSignal) => Promise<void>;
}

const soonMs = 5;

export function createWakeUp(): WakeUp {
  let isPending = false;
  let resume: (() => void) | undefined;
  let soon: NodeJS.Timeout | undefined;
  const wake = () => {
    isPending = true;
    resume?.();
  };
  return {
    wake,
    wakeSoon: () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        wake();
      }, soonMs);
    },
    wait: async (maxMs, signal) => {
      let timer: NodeJS.Timeout | undefined;
      const woken = new Promise<void>((resolve) => {
        resume = resolve;
        timer = setTimeout(resolve, maxMs);
        if (isPending) resolve();
      });
      try {
        await (signal ? orAborted(woken, signal) : woken);
      } finally {
        clearTimeout(timer);
        resume = undefined;
        isPending = false;
      }
    },
  };
}
