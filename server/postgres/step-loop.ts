/** Repeats the steps of background work in one loop, one after another. A step that fails rests, while the others go on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Step {
  name: string;
  /** How long it rests once nothing is left to do. After failures this grows exponentially. */
  everyMs: number;
  /**
   * Processes one batch. Returns true if more is left, and undefined if another instance is at work. The signal is aborted on
   * shutdown.
   */
  run: (signal: AbortSignal) => Promise<boolean | undefined>;
}

export interface StepObserver {
  /** Registers a task. Returns a function that reports a successful run. */
  telemetry: { task: (name: string) => () => void };
  log: Pick<Logger, 'info' | 'warn'>;
}

export interface StepLoop {
  /** Resolves when the batch in progress is finished. */
  stop: () => Promise<void>;
}

/** How long a step goes on while more is left, before it is the turn of the next one. */
const turnMs = 2_000;
/** How long a step rests while another instance is at work. */
const busyMs = 1_000;
const maxBackoffMs = 60_000;

export function startStepLoop(steps: readonly Step[], observer: StepObserver): StepLoop {
  const stopping = new AbortController();
  const looping = loop(
    steps.map((step) => new RepeatedStep(step, observer)),
    stopping.signal,
  );
  return {
    stop: async () => {
      stopping.abort();
      await looping;
    },
  };
}

async function loop(steps: RepeatedStep[], signal: AbortSignal): Promise<void> {
  const isStopping = () => signal.aborted;
  while (!isStopping()) {
    for (const step of steps) await step.takeTurn(signal);
    const nextAt = Math.min(...steps.map(({ dueAt }) => dueAt));
    const restMs = Math.max(0, nextAt - performance.now());
    await delay(restMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

class RepeatedStep {
  dueAt = 0;
  readonly #step: Step;
  readonly #log: StepObserver['log'];
  readonly #succeeded: () => void;
  #failures = 0;

  constructor(step: Step, { telemetry, log }: StepObserver) {
    this.#step = step;
    this.#log = log;
    this.#succeeded = telemetry.task(step.name);
  }

  /** Does nothing unless it is due. */
  async takeTurn(signal: AbortSignal): Promise<void> {
    const { name, everyMs } = this.#step;
    const isStopping = () => signal.aborted;
    if (performance.now() < this.dueAt || isStopping()) return;
    let restMs: number;
    try {
      const left = await this.#runBatches(signal);
      restMs = left ? 0 : left === undefined ? Math.min(everyMs, busyMs) : everyMs;
      if (this.#failures > 0) this.#log.info({ task: name }, 'background task recovered');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0 && !isStopping()) {
        this.#log.warn({ task: name, err: error }, 'background task failed');
      }
      this.#failures += 1;
      restMs = Math.max(everyMs, Math.min(everyMs * 2 ** this.#failures, maxBackoffMs));
    }
    this.dueAt = performance.now() + restMs;
  }

  /** Returns what the last batch did. */
  async #runBatches(signal: AbortSignal): Promise<boolean | undefined> {
    const endsAt = performance.now() + turnMs;
    for (;;) {
      const left = await this.#step.run(signal);
      if (left !== undefined) this.#succeeded();
      if (!left || signal.aborted || performance.now() > endsAt) return left;
    }
  }
}
