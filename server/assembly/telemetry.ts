/** Starts metrics and traces, as far as they are configured. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { TracingConfig } from '../config/telemetry-config.js';
import { createMetricsServer, type MetricsEndpoint } from '../http/metrics-endpoint.js';
import { serviceVersion } from '../lib/project-files.js';
import type { Telemetry } from '../lib/telemetry.js';
import type { Metrics, MetricsOptions } from '../observability/metrics.js';
import { metricsContentType, type Scrape, sharing } from '../observability/scrape.js';
import type { Spans } from '../observability/spans.js';
import type { Database } from '../store/database.js';
import { listenAt } from './listen.js';

export interface RunningTelemetry {
  /** Undefined: nobody listens. */
  telemetry: Telemetry | undefined;
  metrics: Metrics | undefined;
  /** Sends what is left. */
  stop: () => Promise<void>;
}

export interface TelemetryOptions {
  /** Whether other processes serve beside this one, and their primary tells what is the same for all. */
  isOneOfMany: boolean;
}

export async function startTelemetry(
  config: Config,
  database: Database,
  { isOneOfMany }: TelemetryOptions,
  log: Logger,
): Promise<RunningTelemetry> {
  if (!config.metrics && !config.tracing) {
    return { telemetry: undefined, metrics: undefined, stop: () => Promise.resolve() };
  }
  const { createTelemetry } = await import('../observability/telemetry.js');
  const version = serviceVersion;
  const metrics = config.metrics && (await startMetrics({ database, version, isOneOfMany }));
  const tracing = config.tracing && (await startTracing(config.tracing, version, log));
  return {
    telemetry: createTelemetry(metrics?.instruments, tracing?.spans),
    metrics,
    stop: async () => {
      metrics?.stop();
      await tracing?.stop();
    },
  };
}

async function startMetrics(options: MetricsOptions): Promise<Metrics> {
  const { createMetrics } = await import('../observability/metrics.js');
  return createMetrics(options);
}

async function startTracing(
  { captureContent, ...options }: TracingConfig,
  version: string,
  log: Logger,
): Promise<{ spans: Spans; stop: () => Promise<void> }> {
  const { startOtlp } = await import('../observability/otlp.js');
  const { startSpan, extract, stop } = startOtlp({
    ...options,
    version,
    onFailure: (reason) => {
      log.warn({ reason }, 'sending traces failed; spans are dropped until it works again');
    },
    onRecovery: () => {
      log.info('sending traces works again');
    },
  });
  return { spans: { start: startSpan, extract, captureContent }, stop };
}

export function metricsEndpoint({ metrics }: Config, scrape: Scrape): MetricsEndpoint | undefined {
  return (
    metrics && { contentType: metricsContentType, token: metrics.token, scrape: sharing(scrape) }
  );
}

export interface MetricsListener {
  /** Undefined if there is no port for them. */
  url: string | undefined;
  close: () => Promise<void>;
}

/** On METRICS_PORT, if that is set. */
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
