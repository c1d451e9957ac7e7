/** Limits the share of the event loop's time that one kind of work takes, however much of it there is. */

interface LoopShare {
  /** Does the work now or when its turn comes. The worker whose work took the least time so far has the next turn. */
  run: (worker: Worker, work: () => void) => void;
}

export interface Worker {
  /** How long its work took so far. */
  spentMs: number;
}

interface LoopShareOptions {
  /** Between 0 and 1. */
  share: number;
  /** How long the work may take at a stretch. Work is never interrupted, so its last piece may take longer. */
  burstMs: number;
}

interface Waiting {
  worker: Worker;
  work: () => void;
}

export function createLoopShare({ share, burstMs }: LoopShareOptions): LoopShare {
  const waiting: Waiting[] = [];
  let leftMs = burstMs;
  let countedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;

  const hasTime = () => {
    const now = performance.now();
    leftMs = Math.min(burstMs, leftMs + (now - countedAt) * share);
    countedAt = now;
    return leftMs > 0;
  };
  const runTimed = ({ worker, work }: Waiting) => {
    const startedAt = performance.now();
    try {
      work();
    } finally {
      const spentMs = performance.now() - startedAt;
      worker.spentMs += spentMs;
      leftMs -= spentMs;
    }
  };
  const resume = () => {
    timer = undefined;
    try {
      while (waiting.length > 0 && hasTime()) runTimed(takeCheapest(waiting));
    } finally {
      if (waiting.length > 0) resumeLater();
    }
  };
  const resumeLater = () => {
    timer ??= setTimeout(resume, Math.ceil((burstMs - leftMs) / share));
  };

  return {
    run: (worker, work) => {
      if (waiting.length === 0 && hasTime()) {
        runTimed({ worker, work });
        return;
      }
      waiting.push({ worker, work });
      resumeLater();
    },
  };
}

function takeCheapest(waiting: Waiting[]): Waiting {
  let cheapest = 0;
  for (let index = 1; index < waiting.length; index += 1) {
    if ((waiting[index]?.worker.spentMs ?? 0) < (waiting[cheapest]?.worker.spentMs ?? 0))
      cheapest = index;
  }
  const [taken] = waiting.splice(cheapest, 1);
  if (!taken) throw new RangeError('Nothing is waiting.');
  return taken;
}
