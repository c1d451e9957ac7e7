/** Runs periodic background tasks: each in its own loop, never overlapping with itself, with backoff after failures. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { WakeUp } from '../lib/async/wake-up.js';

export interface Task {
  name: string;
  /** The delay once no work is left. After failures it grows exponentially. */
  everyMs: number;
  /** Set if another task finds out when there is work. Without a wake-up, the step is still done now and then. */
  wakeUp?: WakeUp;
  /**
   * Does one batch. Returns true if more is pending, which runs immediately, and undefined if another instance is at it. The signal
   * is aborted on shutdown.
   */
  step: (signal: AbortSignal) => Promise<boolean | undefined>;
}

export interface RunningTasks {
  /** Resolves when the steps in flight have finished. */
  stop: () => Promise<void>;
}

export interface Reports {
  /** Announces a task. Returns the function that is called after each step of it that was done. */
  started: (task: string) => () => void;
  /** Transitions only: the first of consecutive failures, and the recovery. */
  failed: (task: string, error: unknown) => void;
  recovered: (task: string) => void;
}

const maxDelayMs = 60_000;
const maxSleepMs = 10 * 60_000;

export function startTasks(tasks: readonly Task[], reports: Reports): RunningTasks {
  const stopping = new AbortController();
  // Each task listens to it while it waits. Node would warn of a leak from the eleventh on.
  setMaxListeners(tasks.length, stopping.signal);
  const running = tasks.map((task) => repeat(task, stopping.signal, reports));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(
  { name, everyMs, wakeUp, step }: Task,
  signal: AbortSignal,
  { started, failed, recovered }: Reports,
): Promise<void> {
  const succeeded = started(name);
  const isStopping = () => signal.aborted;
  let failures = 0;
  while (!isStopping()) {
    try {
      const hasMore = await step(signal);
      if (hasMore !== undefined) succeeded();
      if (failures > 0) recovered(name);
      failures = 0;
      if (hasMore) continue;
    } catch (error) {
      if (failures === 0 && !isStopping()) failed(name, error);
      failures += 1;
    }
    const delayMs = failures === 0 ? everyMs : Math.min(everyMs * 2 ** failures, maxDelayMs);
    await delay(spread(Math.max(everyMs, delayMs)), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
    if (failures === 0 && !isStopping()) {
      await wakeUp?.wait(maxSleepMs, signal).catch(() => undefined);
    }
  }
}

/** Up to a tenth longer, so that tasks that began together do not need a connection each for ever. */
function spread(ms: number): number {
  return ms * (1 + Math.random() / 10);
}
