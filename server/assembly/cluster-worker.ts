/** A worker process of WORKERS: tells the primary that it listens, and ends when a successor has taken over. */
import cluster, { type Worker } from 'node:cluster';
import { shareMetrics } from './cluster-metrics.js';
import type { RunningInstance, RunningService } from './running-service.js';

/** What a worker sends when it listens. */
export interface Ready {
  url: string;
}

export function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'url' in message;
}

/** What the primary sends to a worker that has a successor. */
const takenOver = 'taken over';

export function handOver(worker: Worker): void {
  worker.send(takenOver);
}

export function joinPrimary(instance: RunningInstance): RunningService {
  const metrics = shareMetrics(instance.metrics);
  const stopThenLeave = async (stop: () => Promise<void>) => {
    try {
      await stop();
    } finally {
      await metrics.sendLast();
      // The channel to the primary would keep the process alive.
      cluster.worker?.disconnect();
    }
  };
  // Sent to the whole group when a terminal closes; the primary knows what to do.
  process.on('SIGHUP', () => undefined);
  process.on('message', (message) => {
    if (message === takenOver) void stopThenLeave(instance.handOver);
  });
  process.send?.({ url: instance.url } satisfies Ready);
  return { ...instance, stop: () => stopThenLeave(instance.stop) };
}
