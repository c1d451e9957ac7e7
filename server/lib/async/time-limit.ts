/** Rejects with the error if the promise has not settled in time; its later result is ignored. */
export async function withTimeLimit<Result>(
  promise: Promise<Result>,
  ms: number,
  error: Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // If the event loop was blocked, the result may already have arrived; it is processed before setImmediate's callback.
      setImmediate(reject, error);
    }, ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
