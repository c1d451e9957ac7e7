/** Metrics with WORKERS: each process counts its own work, and prom-client adds the counts up in the primary. */
import cluster from 'node:cluster';
import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import type { Scrape } from '../http/metrics-endpoint.js';
import { addQueueMetrics } from '../telemetry/database-metrics.js';
import { addLogMetrics, createWorkerGauge } from '../telemetry/metrics.js';
import type { Database } from '../postgres/database.js';

/** The message from a worker to the primary. */
const scrapeRequest = 'scrape';

/** The primary's reply. */
interface ScrapeAnswer {
  metrics: string;
}

function isScrapeAnswer(message: unknown): message is ScrapeAnswer {
  return typeof message === 'object' && message !== null && 'metrics' in message;
}

/** Runs in the primary. A scrape contains only the shared metrics, such as those of the queues, while a worker does not answer. */
export function scrapeWorkers(database: Database): Scrape {
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
    // The callback ignores the error if the worker has exited meanwhile.
    void scrape().then((metrics) =>
      worker.send({ metrics } satisfies ScrapeAnswer, () => undefined),
    );
  });
  return scrape;
}

/** Longer than prom-client's own timeout for a worker. */
const answerTimeoutMs = 8_000;

/** Runs in a worker: answers the primary's requests from now on, and asks it for the metrics of all processes. */
export function scrapeThroughPrimary(): Scrape {
  // The constructor registers the listener for the primary's requests.
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
