/** Limits how long an answer is waited for. */

/** Rejects with the error if the promise has not settled in time; what it does then is ignored. */
export async function withTimeLimit<Result>(
  promise: Promise<Result>,
  ms: number,
  error: Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // If this process was held up, the answer is here already, and is read before the callback of setImmediate runs.
      setImmediate(reject, error);
    }, ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
