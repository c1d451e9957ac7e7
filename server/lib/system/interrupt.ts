/** Lets a command tidy up when it is interrupted, where the default is to end at once. */

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

/** The signal is aborted by the first SIGINT, SIGTERM or SIGHUP while the work goes on. */
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
    // A stream that was aborted has an error of its own.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const { name, abort } of listeners) process.off(name, abort);
  }
}
