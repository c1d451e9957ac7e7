/** Starts metrics and traces, as far as they are configured. What is off is not loaded. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import {
  createMetricsServer,
  type MetricsEndpoint,
  type Scrape,
} from '../http/metrics-endpoint.js';
import { serviceVersion } from '../lib/project-files.js';
import type { Telemetry } from '../lib/telemetry.js';
import type { Metrics, MetricsOptions } from '../observability/metrics.js';
import type { Database } from '../store/postgres/database.js';
import { listenAt } from './listen.js';

export interface RunningTelemetry {
  /** Undefined: neither metrics nor traces are configured. */
  telemetry: Telemetry | undefined;
  metrics: Metrics | undefined;
  /** Sends the spans that are left. */
  stop: () => Promise<void>;
}

export async function startTelemetry(
  config: Config,
  database: Database,
  { isOneOfMany }: Pick<MetricsOptions, 'isOneOfMany'>,
  log: Logger,
): Promise<RunningTelemetry> {
  if (!config.metrics && !config.tracing) {
    return { telemetry: undefined, metrics: undefined, stop: () => Promise.resolve() };
  }
  const { createTelemetry } = await import('../observability/telemetry.js');
  const metrics =
    config.metrics &&
    (await import('../observability/metrics.js')).createMetrics({
      database,
      version: serviceVersion,
      isOneOfMany,
    });
  const tracing =
    config.tracing &&
    (await import('../observability/tracing.js')).startTracing(config.tracing, serviceVersion, log);
  return {
    telemetry: createTelemetry(metrics?.instruments, tracing),
    metrics,
    stop: () => tracing?.stop() ?? Promise.resolve(),
  };
}

export function metricsEndpoint({ metrics }: Config, scrape: Scrape): MetricsEndpoint | undefined {
  return metrics && { token: metrics.token, scrape };
}

export interface MetricsListener {
  /** Undefined if METRICS_PORT is not set. */
  url: string | undefined;
  close: () => Promise<void>;
}

/** Listens on METRICS_PORT, if it is set. */
export async function listenForScrapes(
  { metrics }: Config,
  endpoint: MetricsEndpoint | undefined,
): Promise<MetricsListener> {
  if (!metrics?.listener || !endpoint) return { url: undefined, close: () => Promise.resolve() };
  const server = createMetricsServer(endpoint);
  const variables = { port: 'METRICS_PORT', host: 'METRICS_HOST' };
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
