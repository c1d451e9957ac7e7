/** Runs asynchronous invocations: claims as many as it has room for, keeps their leases, and takes over from the dead. */
import type { ClaimedInvocation, InvocationQueue } from '../store/invocation-queue.js';
import { Interruption, type Interruptible } from '../domain/invocations/interruption.js';

export interface InvocationWorkerOptions {
  /** A name that no other worker has or had. */
  name: string;
  queue: InvocationQueue;
  /** Resolves when the invocation's end is recorded. */
  run: (claimed: ClaimedInvocation, begin: (running: Interruptible) => void) => Promise<void>;
  concurrency: number;
  onError: (error: unknown) => void;
  /** How often it looks for work of which it was told nothing, and for leases that ended. */
  pollEveryMs?: number;
  renewEveryMs?: number;
}

export interface InvocationWorker {
  /** There may be something to do. */
  wake: () => void;
  /** Takes no more work; what is not done within that time is given back. */
  stop: (gracePeriodMs: number) => Promise<void>;
}

interface Job {
  running?: Interruptible;
  done: Promise<void>;
}

export function startInvocationWorker(parts: InvocationWorkerOptions): InvocationWorker {
  const {
    name,
    queue,
    concurrency,
    onError,
    pollEveryMs: lookEveryMs = 2_000,
    renewEveryMs = 2_000,
  } = parts;
  const jobs = new Map<string, Job>();
  let filling: Promise<void> | undefined;
  let hasNews = false;
  let stopping = false;
  let isGracePeriodOver = false;

  const work = async (claimed: ClaimedInvocation, job: Job) => {
    try {
      await parts.run(claimed, (running) => {
        job.running = running;
        if (isGracePeriodOver) running.interrupt('stopping');
      });
    } catch (fault) {
      const kind = fault instanceof Interruption ? fault.kind : undefined;
      // A fault that could not even be recorded: the lease ends, and somebody tries again.
      if (kind === undefined) onError(fault);
      if (kind === 'stopping') await queue.giveBack(name, claimed.id).catch(onError);
    } finally {
      jobs.delete(claimed.id);
      fill();
    }
  };

  const start = (claimed: ClaimedInvocation) => {
    const job: Job = { done: Promise.resolve() };
    jobs.set(claimed.id, job);
    job.done = work(claimed, job);
  };

  const claimAll = async () => {
    while (hasNews && !stopping && jobs.size < concurrency) {
      hasNews = false;
      const claimed = await queue.claim(name, concurrency - jobs.size);
      if (isStopping()) await Promise.all(claimed.map(({ id }) => queue.giveBack(name, id)));
      else claimed.forEach(start);
    }
  };
  // Behind a function, since the compiler does not see that it changes during a wait.
  const isStopping = () => stopping;

  const fill = () => {
    hasNews = true;
    filling ??= claimAll()
      .catch(onError)
      .finally(() => {
        filling = undefined;
        if (hasNews && !stopping && jobs.size < concurrency) fill();
      });
  };

  const renew = async () => {
    const ids = [...jobs.keys()];
    if (ids.length === 0) return;
    const kept = await queue.renew(name, ids);
    for (const id of ids) {
      if (!kept.has(id)) jobs.get(id)?.running?.interrupt('work_lost');
    }
  };

  const look = setInterval(fill, lookEveryMs);
  const renewal = setInterval(() => void renew().catch(onError), renewEveryMs);
  fill();

  return {
    wake: fill,
    async stop(gracePeriodMs) {
      stopping = true;
      clearInterval(look);
      await filling;
      const forceTimer = setTimeout(() => {
        isGracePeriodOver = true;
        for (const { running } of jobs.values()) running?.interrupt('stopping');
      }, gracePeriodMs);
      await Promise.all([...jobs.values()].map(({ done }) => done));
      clearTimeout(forceTimer);
      clearInterval(renewal);
    },
  };
}
