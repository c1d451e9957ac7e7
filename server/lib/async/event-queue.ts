/** An unbounded queue between a producer and one consumer, which reads it as an async iterable. */

export interface EventQueue<Item> extends AsyncIterable<Item> {
  push: (item: Item) => void;
  end: () => void;
  /** Items pushed earlier are still delivered. */
  fail: (error: unknown) => void;
  /** Resolves when an item is available or the queue has ended. Rejects if it failed and no item is left. */
  ready: () => Promise<void>;
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
  const ready = async () => {
    while (items.length === 0 && !ended) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (items.length === 0 && failure) throw failure.error;
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
    ready,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        await ready();
        const batch = items.splice(0);
        if (batch.length === 0) return;
        yield* batch;
      }
    },
  };
}
