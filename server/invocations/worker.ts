/** Runs asynchronous invocations, account by account, including those whose worker died. */
import { setTimeout as delay } from 'node:timers/promises';
import { Interruption, type RunControl } from './interruption.js';
import type { ClaimedOptions } from './invocations.js';
import { createWakeUp } from '../lib/async/wake-up.js';
import { FairQueue } from '../lib/async/fair-queue.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import { type InvocationQueue, leaseName } from './queue.sql.js';
import type { ClaimedInvocation } from './invocation.js';
import { type Lease, LeaseEnded, type LeaseLoop, startLeaseLoop } from '../postgres/lease-loop.js';

interface InvocationWorkerOptions {
  queue: InvocationQueue;
  /** Resolves when the invocation's outcome is recorded. */
  run: (claimed: ClaimedInvocation, options: ClaimedOptions) => Promise<void>;
  /**
   * Concurrent invocations of an account that has the worker to itself. The worker runs up to twice as many in total, and an account
   * can hold at most as many as remain free.
   */
  concurrency: number;
  onError: (error: unknown) => void;
  /** How often to look for invocations whose time has come, whose worker died or whose notification was lost. */
  pollMs?: number;
  renewEveryMs?: number;
}

interface InvocationWorker extends LeaseLoop {
  /** Signals that an invocation may have been queued. */
  wake: () => void;
}

const firstPauseMs = 1_000;

export function startInvocationWorker(options: InvocationWorkerOptions): InvocationWorker {
  const { queue, run, concurrency, onError, pollMs = 2_000, renewEveryMs = 2_000 } = options;
  const wakeUp = createWakeUp();
  const slots = new FairQueue(2 * concurrency);
  /** Accounts take turns: the last one that was served, and all that were served in this round. */
  let lastAccount = '';
  const served = new Set<string>();

  /** Sooner than the lease would expire, but after a pause that spares a database in trouble. */
  const returnToQueue = async (claimed: ClaimedInvocation, { signal }: Lease) => {
    const pauseMs = firstPauseMs * 2 ** Math.min(claimed.attempts, 3);
    const isReturned = () =>
      queue.retry(claimed).then(
        () => true,
        () => false,
      );
    do await delay(pauseMs, undefined, { signal });
    while (!(await isReturned()));
  };

  const { stop } = startLeaseLoop<ClaimedInvocation>({
    claim: async () => {
      const accountId = slots.free > 0 ? await queue.nextAccount(lastAccount) : undefined;
      if (accountId === undefined || served.has(accountId)) {
        served.clear();
        return { items: [], more: false };
      }
      lastAccount = accountId;
      served.add(accountId);
      const room = slots.roomFor(accountId);
      const items = room > 0 ? await queue.claim(accountId, room) : [];
      return { items, more: true };
    },
    keyOf: leaseName,
    work: async (claimed, lease) => {
      const release = slots.take(claimed.accountId);
      try {
        await run(claimed, {
          onStart: (control) => {
            interruptWith(lease, control);
          },
          begin: () => queue.begin(claimed),
        });
      } catch (error) {
        const kind = error instanceof Interruption ? error.kind : undefined;
        // Another worker runs it now, so there is no lease to release and no error to report.
        if (kind === 'work_lost') return;
        if (kind === 'stopping' && !lease.signal.aborted) {
          await queue.release(claimed);
          return;
        }
        if (kind === 'session_lost' || kind === 'overloaded' || isStoreUnavailable(error)) {
          await returnToQueue(claimed, lease);
        }
        throw error;
      } finally {
        release();
        wakeUp.wake();
      }
    },
    renew: (claimed) => queue.renew(claimed),
    release: async (claimed) => {
      await Promise.all(claimed.map((one) => queue.release(one)));
    },
    onError,
    wakeUp,
    pollMs,
    renewEveryMs,
  });
  return { wake: wakeUp.wake, stop };
}

function interruptWith({ signal, isStopping }: Lease, control: RunControl): void {
  control.handOverWhen(isStopping);
  const interrupt = () => {
    const isLost = signal.reason instanceof LeaseEnded && signal.reason.kind === 'lost';
    control.interrupt(isLost ? 'work_lost' : 'stopping');
  };
  if (signal.aborted) interrupt();
  else signal.addEventListener('abort', interrupt, { once: true });
}
