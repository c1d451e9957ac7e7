/**
 * The metrics of WORKERS: whichever process is asked, the answer is for all of them. The primary collects, adds up, and keeps
 * what workers that have ended had counted, so that no counter goes backwards.
 */
import type { Worker } from 'node:cluster';
import { Registry } from 'prom-client';
import { withTimeLimit } from '../lib/time-limit.js';
import { addQueueMetrics } from '../observability/database-metrics.js';
import { createWorkerGauge, type Metrics } from '../observability/metrics.js';
import type { Scrape } from '../observability/scrape.js';
import {
  countedIn,
  formatSnapshots,
  mergeSnapshots,
  type Snapshot,
} from '../observability/snapshots.js';
import type { Database } from '../store/database.js';

type Message =
  /** From the primary to a worker. */
  | { metrics: 'collect' }
  | { metrics: 'scraped'; id: number; text: string | null }
  /** From a worker to the primary. */
  | { metrics: 'collected'; snapshot: Snapshot }
  | { metrics: 'scrape'; id: number };

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message;
}

/** A worker that hangs must not keep the scrape waiting; what it said last stands for it. */
const workerTimeoutMs = 1_500;
const primaryTimeoutMs = 5_000;

export interface ClusterMetrics {
  track: (worker: Worker) => void;
  scrape: Scrape;
}

/** In the primary. */
export function createClusterMetrics(database: Database): ClusterMetrics {
  const registry = new Registry();
  addQueueMetrics(registry, database);
  const setWorkers = createWorkerGauge(registry);
  const live = new Map<Worker, { snapshot: Snapshot; answer?: (() => void) | undefined }>();
  let ended: Promise<Snapshot> = Promise.resolve([]);

  const retire = (worker: Worker) => {
    const { snapshot = [], answer } = live.get(worker) ?? {};
    live.delete(worker);
    answer?.();
    ended = ended.then((earlier) => mergeSnapshots([earlier, countedIn(snapshot)]));
  };

  /** Resolves to whether it answered. */
  const collect = (worker: Worker): Promise<boolean> => {
    const answered = new Promise<void>((resolve) => {
      const known = live.get(worker);
      if (known) known.answer = resolve;
    });
    worker.send({ metrics: 'collect' } satisfies Message, () => undefined);
    return withTimeLimit(answered, workerTimeoutMs, new Error('The worker did not answer.')).then(
      () => true,
      () => false,
    );
  };

  const scrape = async () => {
    const asked = [...live.keys()].filter((worker) => worker.isConnected());
    const answers = await Promise.all(asked.map(collect));
    setWorkers({ running: asked.length, responding: answers.filter(Boolean).length });
    const own = await registry.getMetricsAsJSON();
    const before = await ended;
    return formatSnapshots([own, before, ...Array.from(live.values(), ({ snapshot }) => snapshot)]);
  };

  return {
    scrape,
    track: (worker) => {
      live.set(worker, { snapshot: [] });
      worker.on('message', (message: unknown) => {
        if (!isMessage(message)) return;
        const known = live.get(worker);
        if (message.metrics === 'collected' && known) {
          known.snapshot = message.snapshot;
          known.answer?.();
        }
        if (message.metrics === 'scrape') void reply(worker, message.id, scrape);
      });
      worker.once('exit', () => {
        retire(worker);
      });
    },
  };
}

async function reply(worker: Worker, id: number, scrape: Scrape): Promise<void> {
  const text = await scrape().catch(() => null);
  // It may be gone by now.
  worker.send({ metrics: 'scraped', id, text } satisfies Message, () => undefined);
}

/** In a worker: asks the primary. */
export function scrapeThroughPrimary(): Scrape {
  let last = 0;
  const waiting = new Map<number, (text: string | null) => void>();
  process.on('message', (message: unknown) => {
    if (!isMessage(message) || message.metrics !== 'scraped') return;
    waiting.get(message.id)?.(message.text);
  });
  return async () => {
    last += 1;
    const id = last;
    const answered = new Promise<string | null>((resolve) => waiting.set(id, resolve));
    process.send?.({ metrics: 'scrape', id } satisfies Message);
    const late = new Error('The primary did not answer.');
    const text = await withTimeLimit(answered, primaryTimeoutMs, late).finally(() => {
      waiting.delete(id);
    });
    if (text === null) throw new Error('The primary could not collect the metrics.');
    return text;
  };
}

export interface SharedMetrics {
  /** Tells the primary what was counted since it asked last. */
  sendLast: () => Promise<void>;
}

/** In a worker: answers the primary. */
export function shareMetrics(metrics: Metrics | undefined): SharedMetrics {
  const send = async () => {
    if (!metrics) return;
    const snapshot = await metrics.snapshot();
    await new Promise<void>((resolve) => {
      if (!process.connected) resolve();
      process.send?.({ metrics: 'collected', snapshot } satisfies Message, () => {
        resolve();
      });
    });
  };
  process.on('message', (message: unknown) => {
    if (isMessage(message) && message.metrics === 'collect') void send();
  });
  return { sendLast: send };
}
