/** A worker process of WORKERS: tells the primary when it listens, and exits when it has stopped. */
import cluster from 'node:cluster';
import type { RunningService } from './running-service.js';

/** The message that a worker sends when it listens. */
export interface Ready {
  url: string;
}

export function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'url' in message;
}

export function joinPrimary(service: RunningService): RunningService {
  process.send?.({ url: service.url } satisfies Ready);
  return {
    ...service,
    stop: async () => {
      try {
        await service.stop();
      } finally {
        // The channel to the primary would keep the process alive.
        cluster.worker?.disconnect();
      }
    },
  };
}
