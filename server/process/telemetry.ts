/** Starts metrics and traces if they are configured. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import {
  createMetricsServer,
  type MetricsEndpoint,
  type Scrape,
} from '../http/metrics-endpoint.js';
import { serviceVersion } from '../contract/project-files.js';
import { createTelemetry } from '../telemetry/create-telemetry.js';
import { createMetrics, type Metrics, type MetricsOptions } from '../telemetry/metrics.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Database } from '../postgres/database.js';
import { listenAt } from './listen.js';

interface RunningTelemetry {
  /** Undefined if neither metrics nor traces are configured. */
  telemetry: Telemetry | undefined;
  metrics: Metrics | undefined;
  /** Sends the remaining spans. */
  stop: () => Promise<void>;
}

export async function startTelemetry(
  config: Config,
  database: Database,
  { isClustered }: Pick<MetricsOptions, 'isClustered'>,
  log: Logger,
): Promise<RunningTelemetry> {
  if (!config.metrics && !config.tracing) {
    return { telemetry: undefined, metrics: undefined, stop: () => Promise.resolve() };
  }
  const metrics =
    config.metrics && createMetrics({ database, version: serviceVersion, isClustered });
  // Most installations have no collector, and its SDK is large.
  const tracing =
    config.tracing &&
    (await import('../telemetry/tracing.js')).startTracing(config.tracing, serviceVersion, log);
  return {
    telemetry: createTelemetry(metrics?.instruments, tracing),
    metrics,
    stop: async () => tracing?.stop(),
  };
}

export function metricsEndpoint({ metrics }: Config, scrape: Scrape): MetricsEndpoint | undefined {
  return metrics && { token: metrics.token, scrape };
}

interface MetricsListener {
  /** Undefined if METRICS_PORT is not set. */
  url: string | undefined;
  close: () => Promise<void>;
}

/** Listens on METRICS_PORT if it is set. */
export async function listenForScrapes(
  { metrics }: Config,
  endpoint: MetricsEndpoint | undefined,
): Promise<MetricsListener> {
  if (!metrics?.listener || !endpoint) return { url: undefined, close: () => Promise.resolve() };
  const server = createMetricsServer(endpoint);
  const variables = { port: 'METRICS_PORT', host: 'The host of METRICS_PORT' };
  const url = await listenAt(server, { ...metrics.listener, variables });
  return {
    url: `${url}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
