/** Lets a command tidy up when it is interrupted, where the default is to end at once. */

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The signal is aborted by the first SIGINT, SIGTERM or SIGHUP while the work goes on. */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new Interrupted('Interrupted.'));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    // A stream that was aborted has an error of its own.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}
