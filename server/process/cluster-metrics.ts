/** The metrics of WORKERS: each process counts its own work, and prom-client adds them up in the primary. */
import cluster from 'node:cluster';
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type PrometheusContentType,
} from 'prom-client';
import type { Scrape } from '../http/metrics-endpoint.js';
import { addQueueMetrics } from '../observability/database-metrics.js';
import { addLogMetrics, createWorkerGauge } from '../observability/metrics.js';
import type { Database } from '../store/postgres/database.js';

/** What a worker sends to the primary. */
const scrapeRequest = 'scrape';

/** What the primary answers. */
interface ScrapeAnswer {
  metrics: string;
}

function isScrapeAnswer(message: unknown): message is ScrapeAnswer {
  return typeof message === 'object' && message !== null && 'metrics' in message;
}

interface PrimaryMetrics {
  /** While a worker does not answer, there are only the metrics that all processes share. */
  scrape: Scrape;
  /** Those that all processes share. */
  collectShared: () => Promise<MetricObjectWithValues<MetricValue<string>>[]>;
}

/** In the primary. */
export function scrapeWorkers(database: Database): PrimaryMetrics {
  const registry = new AggregatorRegistry<PrometheusContentType>();
  addQueueMetrics(registry, database);
  addLogMetrics(registry);
  const setWorkers = createWorkerGauge(registry);

  const scrape = async () => {
    const workers = Object.values(cluster.workers ?? {});
    const running = workers.filter((worker) => worker?.isConnected()).length;
    const ofWorkers = await registry.clusterMetrics().catch(() => undefined);
    setWorkers({ running, responding: ofWorkers === undefined ? 0 : running });
    return `${ofWorkers ?? ''}${await registry.metrics()}`;
  };
  cluster.on('message', (worker, message: unknown) => {
    if (message !== scrapeRequest) return;
    // The worker may have ended in the meantime, which the callback ignores.
    void scrape().then((metrics) =>
      worker.send({ metrics } satisfies ScrapeAnswer, () => undefined),
    );
  });
  return {
    scrape,
    collectShared: async () => {
      // It finds out which workers answer.
      await scrape();
      return registry.getMetricsAsJSON();
    },
  };
}

/** Longer than prom-client waits for a worker. */
const answerTimeoutMs = 8_000;

/** In a worker: answers the primary from now on, and asks it for the metrics of all processes. */
export function scrapeThroughPrimary(): Scrape {
  // Listens for the requests of the primary.
  void new AggregatorRegistry();
  let asking: Promise<string> | undefined;
  return () =>
    (asking ??= askPrimary().finally(() => {
      asking = undefined;
    }));
}

function askPrimary(): Promise<string> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      if (!isScrapeAnswer(message)) return;
      clearTimeout(timer);
      process.off('message', onMessage);
      resolve(message.metrics);
    };
    const timer = setTimeout(() => {
      process.off('message', onMessage);
      reject(new Error('The primary did not answer.'));
    }, answerTimeoutMs);
    process.on('message', onMessage);
    process.send?.(scrapeRequest);
  });
}
