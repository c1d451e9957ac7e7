/** Limits concurrency: runs at most `max` tasks at a time and queues the rest in order. */
export function limitConcurrency(
  max: number,
): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < max) running += 1;
    else await new Promise<void>((start) => queue.push(start));
    try {
      return await task();
    } finally {
      const startNext = queue.shift();
      // The slot passes to the next task, so `running` stays the same.
      if (startNext) startNext();
      else running -= 1;
    }
  };
}
