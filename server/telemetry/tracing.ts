/**
 * Sends spans with the OpenTelemetry SDK. Imported only if tracing is on. The build bundles its imports, so that an installation
 * does not need the SDK's packages, most of whose files are never loaded.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import {
  CompositePropagator,
  diagLogLevelFromString,
  type ExportResult,
  ExportResultCode,
  getStringFromEnv,
  getStringListFromEnv,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
} from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import type { Tracing } from './spans.js';

const serviceName = 'agent-hosting-service';

interface TracingOptions {
  /** OpenTelemetry's environment variables. */
  environment: Record<string, string>;
  protocol: 'http/protobuf' | 'http/json';
  exporters: readonly ('otlp' | 'console')[];
  captureContent: boolean;
}

interface RunningTracing extends Tracing {
  /** Sends the remaining spans, but waits only briefly for the collector. */
  stop: () => Promise<void>;
}

export function startTracing(
  options: TracingOptions,
  version: string,
  log: Logger,
): RunningTracing {
  return withOpenTelemetry(options.environment, log, () => start(options, version, log));
}

function start(options: TracingOptions, version: string, log: Logger): RunningTracing {
  const { exporters, protocol, captureContent } = options;
  const createExporter = {
    otlp: () => (protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter()),
    console: () => new ConsoleSpanExporter(),
  };
  const reporting = exporters.map((name) => reportFailures(createExporter[name](), log));
  const provider = new NodeTracerProvider({
    resource: describeProcess(version),
    spanProcessors: reporting.map((exporter) => new BatchSpanProcessor(exporter)),
  });
  const tracer = provider.getTracer(serviceName, version);
  const propagator = createPropagator();
  const contextOf = (parent: SpanContext | undefined) =>
    parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;

  return {
    startSpan: (name, kind, parent) => tracer.startSpan(name, { kind }, contextOf(parent)),
    extract: (headers) =>
      trace.getSpanContext(propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)),
    inject: (context) => {
      const headers: Record<string, string> = {};
      propagator.inject(contextOf(context), headers, defaultTextMapSetter);
      return headers;
    },
    captureContent,
    stop: () =>
      stopProvider(provider, {
        reportFailure: (reason) => reporting[0]?.reportFailure(reason),
      }),
  };
}

/** Baggage is never propagated, because the service does not use it. */
function createPropagator(): CompositePropagator {
  const names = getStringListFromEnv('OTEL_PROPAGATORS') ?? ['tracecontext'];
  for (const name of names) {
    if (!['tracecontext', 'baggage', 'none'].includes(name)) {
      diag.warn(`the propagator '${name}' is not supported; use tracecontext or none`);
    }
  }
  return new CompositePropagator({
    propagators: names.includes('tracecontext') ? [new W3CTraceContextPropagator()] : [],
  });
}

/** Starts the SDK with these variables, and logs its warnings about them. */
function withOpenTelemetry<Result>(
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
function describeProcess(version: string): Resource {
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
function reportFailures<Items>(exporter: Exporter<Items>, log: Logger): ReportingExporter<Items> {
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
async function stopProvider(
  provider: { shutdown: () => Promise<void> },
  { reportFailure }: { reportFailure: (reason: string) => void },
): Promise<void> {
  // Failures are ignored: the exporter has reported them.
  const settled = Promise.allSettled([provider.shutdown()]).then(() => false);
  const isLate = await Promise.race([settled, delay(stopTimeoutMs, true, { ref: false })]);
  if (isLate) reportFailure('the collector did not answer in time');
}
