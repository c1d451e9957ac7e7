/** Spans that wait to be sent: in batches, one at a time, and no more of them than there is room for. */

/** Spans that are sent together, in a form that takes little room until then. */
export interface SpanBatch<Span> {
  add: (span: Span) => void;
  encode: () => Buffer<ArrayBuffer>;
}

export interface SpanQueue<Span> {
  /** Dropped if there is no room. */
  add: (span: Span) => void;
  /** Resolves when all that waits was sent, or could not be. */
  flush: () => Promise<void>;
}

export interface SpanQueueOptions<Span> {
  open: () => SpanBatch<Span>;
  /** Never rejects. */
  send: (body: Buffer<ArrayBuffer>) => Promise<void>;
  batchSize: number;
  /** That are full and not sent yet. More spans are dropped. */
  maxBatches: number;
  /** A batch that is not full is sent after this time. */
  everyMs: number;
}

export function createSpanQueue<Span>(options: SpanQueueOptions<Span>): SpanQueue<Span> {
  const { open, send, batchSize, maxBatches, everyMs } = options;
  const full: SpanBatch<Span>[] = [];
  let last = open();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const close = () => {
    clearTimeout(timer);
    timer = undefined;
    if (size > 0) full.push(last);
    last = open();
    size = 0;
  };
  const sendAll = async () => {
    for (let batch = full[0]; batch; batch = full[0]) {
      await send(batch.encode());
      full.shift();
    }
  };
  const start = () =>
    (sending ??= sendAll().finally(() => {
      sending = undefined;
    }));
  const closeAndStart = () => {
    close();
    return start();
  };

  return {
    add: (span) => {
      if (full.length >= maxBatches) return;
      last.add(span);
      size += 1;
      if (size >= batchSize) void closeAndStart();
      else timer ??= setTimeout(() => void closeAndStart(), everyMs).unref();
    },
    flush: async () => {
      while (size > 0 || full.length > 0) await closeAndStart();
    },
  };
}
