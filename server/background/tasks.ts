/** Runs periodic background tasks: each in its own loop, never overlapping with itself, with backoff after failures. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { WakeUp } from '../lib/async/wake-up.js';

export interface Task {
  name: string;
  /** The delay once no work is left. After failures it grows exponentially. */
  everyMs: number;
  /** Set if another task detects when there is work. The step still runs every few minutes in case a wake-up is lost. */
  wakeUp?: WakeUp;
  /**
   * Processes one batch. Returns true if more work is pending, which runs the next step immediately, and undefined if another
   * instance is running the task. The signal is aborted on shutdown.
   */
  step: (signal: AbortSignal) => Promise<boolean | undefined>;
}

export interface RunningTasks {
  /** Resolves when the steps in flight have finished. */
  stop: () => Promise<void>;
}

interface TaskObserver {
  /** Called when a task starts. Returns a function that is called after each successful step. */
  started: (task: string) => () => void;
  /** Called for the first of consecutive failures only. */
  failed: (task: string, error: unknown) => void;
  /** Called for the first success after failures. */
  recovered: (task: string) => void;
}

const maxDelayMs = 60_000;
const maxSleepMs = 10 * 60_000;

export function startTasks(tasks: readonly Task[], observer: TaskObserver): RunningTasks {
  const stopping = new AbortController();
  // Every task listens to the signal while it waits. By default, Node warns of a leak above ten listeners.
  setMaxListeners(tasks.length, stopping.signal);
  const running = tasks.map((task) => repeat(task, stopping.signal, observer));
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
  { started, failed, recovered }: TaskObserver,
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
    await delay(withJitter(Math.max(everyMs, delayMs)), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
    if (failures === 0 && !isStopping()) {
      await wakeUp?.wait(maxSleepMs, signal).catch(() => undefined);
    }
  }
}

/** Up to 10% longer, so that tasks that started together do not keep needing a connection each at the same moment. */
function withJitter(ms: number): number {
  return ms * (1 + Math.random() / 10);
}
