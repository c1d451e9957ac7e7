/** Starts and stops the OpenTelemetry SDK. Imported only if tracing is on. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import {
  diagLogLevelFromString,
  type ExportResult,
  ExportResultCode,
  getStringFromEnv,
  setGlobalErrorHandler,
} from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { Logger } from 'pino';

export const serviceName = 'agent-hosting-service';

/** Starts the SDK with these variables, and logs its warnings about them. */
export function withOpenTelemetry<Result>(
  environment: Record<string, string>,
  log: Logger,
  start: () => Result,
): Result {
  return withEnvironment(environment, () => withDiagnostics(log, start));
}

/** The SDK reads its variables only from `process.env`, and only while it starts. */
function withEnvironment<Result>(variables: Record<string, string>, start: () => Result): Result {
  const before = process.env;
  process.env = { ...before, ...variables };
  try {
    return start();
  } finally {
    process.env = before;
  }
}

/**
 * Logs the SDK's messages about its settings, and later ones too if OTEL_LOG_LEVEL is set. Details are omitted, because they may
 * contain headers and URLs.
 */
function withDiagnostics<Result>(log: Logger, start: () => Result): Result {
  const write = (method: 'error' | 'warn' | 'info' | 'debug') => (message: string) => {
    log[method](`OpenTelemetry: ${message}`);
  };
  const logger = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    verbose: write('debug'),
  };
  const logLevel = diagLogLevelFromString(getStringFromEnv('OTEL_LOG_LEVEL'));
  diag.setLogger(logger, {
    logLevel: logLevel ?? DiagLogLevel.WARN,
    suppressOverrideMessage: true,
  });
  // Exporters report their own failures, once.
  setGlobalErrorHandler(() => undefined);
  try {
    return start();
  } finally {
    // Otherwise the SDK would log every time it drops spans.
    if (logLevel === undefined) diag.disable();
  }
}

/** The attributes of all spans of a process. */
export function describeProcess(version: string): Resource {
  const attributes = {
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  };
  return defaultResource()
    .merge(resourceFromAttributes(attributes))
    .merge(detectResources({ detectors: [envDetector] }));
}

interface Exporter<Items> {
  export: (items: Items, done: (result: ExportResult) => void) => void;
  shutdown: () => Promise<void>;
  forceFlush?: () => Promise<void>;
}

interface ReportingExporter<Items> extends Required<Exporter<Items>> {
  reportFailure: (reason: string) => void;
}

/** Logs the first of consecutive failures, and the first success after them. */
export function reportFailures<Items>(
  exporter: Exporter<Items>,
  log: Logger,
): ReportingExporter<Items> {
  let isFailing = false;
  const reportFailure = (reason: string) => {
    if (!isFailing) {
      log.warn({ reason }, 'sending traces failed; they are dropped until it works again');
    }
    isFailing = true;
  };
  return {
    reportFailure,
    export: (items, done) => {
      exporter.export(items, (result) => {
        if (result.code === ExportResultCode.SUCCESS) {
          if (isFailing) log.info('sending traces works again');
          isFailing = false;
        } else {
          reportFailure(reasonOf(result.error));
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** Never uses the library's message, which may contain the URL or the collector's response. */
function reasonOf(error: object | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `the collector answered with status ${code}`;
  if (typeof code === 'string') return `the connection to the collector failed (${code})`;
  return 'the collector did not accept them in time';
}

const stopTimeoutMs = 2_000;

/** Sends the remaining data, but waits only briefly for the collector. */
export async function stopProvider(
  provider: { shutdown: () => Promise<void> },
  { reportFailure }: { reportFailure: (reason: string) => void },
): Promise<void> {
  // Failures are ignored: the exporter has reported them.
  const settled = Promise.allSettled([provider.shutdown()]).then(() => false);
  const isLate = await Promise.race([settled, delay(stopTimeoutMs, true, { ref: false })]);
  if (isLate) reportFailure('the collector did not answer in time');
}
