/** Timers of a request: the time-out of an attempt, and the pause before the next one. */
import { ConnectionTimeoutError } from './errors.js';

export interface Timeout {
  /** Aborted with a ConnectionTimeoutError when the time is up, or with the caller's reason by the caller's signal. */
  readonly signal: AbortSignal;
  /** Starts over with this duration; after 0 only the caller's signal aborts. */
  restart: (ms: number) => void;
  /** Neither time nor the caller's signal aborts from now on. */
  stop: () => void;
  /** Aborts at once. */
  abort: () => void;
}

/** Starts a time-out; 0 milliseconds are no limit. What was missing when it ends is named in its error. */
export function startTimeout(
  timeoutMs: number,
  callerSignal: AbortSignal | undefined,
  missing: string,
): Timeout {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const clear = () => {
    clearTimeout(timer);
  };
  const restart = (ms: number) => {
    clear();
    if (ms > 0) {
      timer = setTimeout(() => {
        controller.abort(new ConnectionTimeoutError(`${missing} within ${ms / 1000} s.`));
      }, ms);
    }
  };
  const abort = () => {
    clear();
    controller.abort(callerSignal?.reason);
  };
  callerSignal?.addEventListener('abort', abort);
  if (callerSignal?.aborted) abort();
  else restart(timeoutMs);
  return {
    signal: controller.signal,
    restart,
    stop: () => {
      clear();
      callerSignal?.removeEventListener('abort', abort);
    },
    abort,
  };
}

/** Resolves after that time, or as soon as the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
