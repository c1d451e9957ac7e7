/** Spans that wait to be sent: in batches, one at a time, and no more of them than there is room for. */

export interface SpanQueue<Span> {
  /** Dropped if there is no room. */
  add: (span: Span) => void;
  /** Resolves when all that waits was sent, or could not be. */
  flush: () => Promise<void>;
}

export interface SpanQueueOptions<Span> {
  /** Never rejects. */
  send: (spans: Span[]) => Promise<void>;
  maxWaiting: number;
  batchSize: number;
  /** A batch that is not full is sent after this time. */
  everyMs: number;
}

export function createSpanQueue<Span>(options: SpanQueueOptions<Span>): SpanQueue<Span> {
  const { send, maxWaiting, batchSize, everyMs } = options;
  let waiting: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const sendAll = async (least: number) => {
    while (waiting.length >= least) {
      const batch = waiting.slice(0, batchSize);
      waiting = waiting.slice(batchSize);
      await send(batch);
    }
  };
  const start = (least: number) => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll(least).finally(() => {
      sending = undefined;
      if (waiting.length > 0) schedule();
    });
    return sending;
  };
  const schedule = () => {
    timer ??= setTimeout(() => void start(1), everyMs).unref();
  };

  return {
    add: (span) => {
      if (waiting.length >= maxWaiting) return;
      waiting.push(span);
      if (waiting.length >= batchSize) void start(batchSize);
      else schedule();
    },
    flush: async () => {
      while (waiting.length > 0 || sending) await start(1);
    },
  };
}
