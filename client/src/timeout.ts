/** Request timers: the time-out of an attempt, and the pause before the next one. */
import { ConnectionTimeoutError } from './errors.js';

export interface Timeout {
  /** Aborted with a ConnectionTimeoutError when the time is up, or with the reason of the caller's signal. */
  readonly signal: AbortSignal;
  /** Starts over with this duration; with 0 only the caller's signal aborts. */
  restart: (ms: number) => void;
  /** From now on neither the time nor the caller's signal aborts. */
  stop: () => void;
  abort: () => void;
}

/** 0 milliseconds is no limit. The error says that `missing` did not arrive in time. */
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

/** Resolves early if the signal is aborted. */
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
