/** Hands items from whoever makes them to whoever takes them, each at his own speed. */

export interface EventQueue<Item> extends AsyncIterable<Item> {
  push: (item: Item) => void;
  end: () => void;
  /** What was pushed before is still handed over. */
  fail: (fault: unknown) => void;
  /** Resolves when there is something to take, or nothing more will come. Rejects if there will only be the fault. */
  ready: () => Promise<void>;
}

export function createEventQueue<Item>(): EventQueue<Item> {
  const items: Item[] = [];
  let over = false;
  let fault: { reason: unknown } | undefined;
  let wake: (() => void) | undefined;

  const change = () => {
    wake?.();
    wake = undefined;
  };
  const ready = async () => {
    while (items.length === 0 && !over) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (items.length === 0 && fault) throw fault.reason;
  };

  return {
    push(item) {
      items.push(item);
      change();
    },
    end() {
      over = true;
      change();
    },
    fail(reason) {
      fault = { reason };
      over = true;
      change();
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
