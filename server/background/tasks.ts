/** Runs what has to be done again and again beside the requests: each task on its own, never twice at the same time. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Task {
  name: string;
  /** The pause after it has done all there was to do. After a failure it is longer, and grows with each further one. */
  everyMs: number;
  /** Does a small piece. Whether more is waiting, which is then done at once. The signal: there is no time for more. */
  step: (signal: AbortSignal) => Promise<boolean>;
}

export interface RunningTasks {
  /** Waits for the pieces that are under way. */
  stop: () => Promise<void>;
}

/** A failure is told once, not again with every try; so is that it is over. */
export interface Reports {
  failed: (task: string, error: unknown) => void;
  recovered: (task: string) => void;
}

const longestPauseMs = 60_000;

export function startTasks(tasks: readonly Task[], reports: Reports): RunningTasks {
  const stopping = new AbortController();
  const running = tasks.map((task) => repeat(task, stopping.signal, reports));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(
  { name, everyMs, step }: Task,
  signal: AbortSignal,
  { failed, recovered }: Reports,
): Promise<void> {
  const isStopping = () => signal.aborted;
  let failures = 0;
  while (!isStopping()) {
    try {
      const isMore = await step(signal);
      if (failures > 0) recovered(name);
      failures = 0;
      if (isMore) continue;
    } catch (error) {
      if (failures === 0 && !isStopping()) failed(name, error);
      failures += 1;
    }
    const pauseMs = failures === 0 ? everyMs : Math.min(everyMs * 2 ** failures, longestPauseMs);
    await delay(Math.max(everyMs, pauseMs), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
  }
}
