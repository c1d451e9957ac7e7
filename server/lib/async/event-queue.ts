/** An unbounded queue between a producer and one consumer, which reads it as an async iterable. */

export interface EventQueue<Item> extends AsyncIterable<Item> {
  push: (item: Item) => void;
  end: () => void;
  /** Items pushed earlier are still delivered. */
  fail: (error: unknown) => void;
}

export function createEventQueue<Item>(): EventQueue<Item> {
  const items: Item[] = [];
  let ended = false;
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;

  const notify = () => {
    wake?.();
    wake = undefined;
  };

  return {
    push(item) {
      items.push(item);
      notify();
    },
    end() {
      ended = true;
      notify();
    },
    fail(error) {
      failure = { error };
      ended = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      while (items.length > 0 || !ended) {
        yield* items.splice(0);
        if (items.length > 0 || ended) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (failure) throw failure.error;
    },
  };
}
