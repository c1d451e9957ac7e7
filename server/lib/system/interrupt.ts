/** Lets a command clean up when it is interrupted; by default the process would exit at once. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type InterruptSignal = (typeof signals)[number];

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: InterruptSignal;

  constructor(signal: InterruptSignal) {
    super('Interrupted.');
    this.signal = signal;
  }
}

/** Aborts the signal on the first SIGINT, SIGTERM or SIGHUP during the work. */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const listeners = signals.map((name) => ({
    name,
    abort: () => {
      controller.abort(new Interrupted(name));
    },
  }));
  for (const { name, abort } of listeners) process.on(name, abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    // Replaces the error that an aborted stream throws.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const { name, abort } of listeners) process.off(name, abort);
  }
}
