/** Limits the concurrent calls to each host, fairly by account, so that agents can neither flood a host nor keep each other from it. */
import { createFairQueue, type FairQueue, type Release } from '../../lib/async/fair-queue.js';

export interface HostQueues {
  /** Resolves when the account may call the host. Rejects with the signal's reason if it aborts before. */
  enter: (host: string, accountId: string, signal: AbortSignal) => Promise<Release>;
}

export function createHostQueues(perHost: number): HostQueues {
  /** Only hosts with calls that run or wait. */
  const hosts = new Map<string, { queue: FairQueue; calls: number }>();

  const open = (host: string) => {
    const opened = hosts.get(host) ?? { queue: createFairQueue(perHost), calls: 0 };
    hosts.set(host, opened);
    opened.calls += 1;
    return opened;
  };

  const close = (host: string) => {
    const opened = hosts.get(host);
    if (opened && (opened.calls -= 1) === 0) hosts.delete(host);
  };

  return {
    async enter(host, accountId, signal) {
      const { queue } = open(host);
      try {
        const release = await queue.enter(accountId, signal);
        return () => {
          release();
          close(host);
        };
      } catch (error) {
        close(host);
        throw error;
      }
    },
  };
}
