/**
 * Starts the OpenTelemetry SDK. Imported only if tracing is on. The build bundles what it imports, so that an installation
 * does without the packages of the SDK, most of whose files are never loaded.
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
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import type { Tracing } from './spans.js';

export interface TracingOptions {
  /** The variables of OpenTelemetry. */
  environment: Record<string, string>;
  captureContent: boolean;
}

export interface RunningTracing extends Tracing {
  /** Sends the spans that are left, but waits for the collector only briefly. */
  stop: () => Promise<void>;
}

const serviceName = 'agent-hosting-service';
const stopTimeoutMs = 2_000;

export function startTracing(
  options: TracingOptions,
  version: string,
  log: Logger,
): RunningTracing {
  return withEnvironment(options.environment, () =>
    withDiagnostics(log, () => start(options, version, log)),
  );
}

function start({ captureContent }: TracingOptions, version: string, log: Logger): RunningTracing {
  const exporter = reportFailures(createExporter(), log);
  const provider = new NodeTracerProvider({
    resource: describeProcess(version),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(serviceName, version);
  const propagator = createPropagator();
  const contextOf = (parent: SpanContext | undefined) =>
    parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;

  return {
    startSpan: (name, options, parent) => tracer.startSpan(name, options, contextOf(parent)),
    extract: (headers) =>
      trace.getSpanContext(propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)),
    inject: (context) => {
      const headers: Record<string, string> = {};
      propagator.inject(contextOf(context), headers, defaultTextMapSetter);
      return headers;
    },
    captureContent,
    stop: async () => {
      // Whether it succeeds or not: the exporter has reported why it failed.
      const settled = Promise.allSettled([provider.shutdown()]).then(() => false);
      const isLate = await Promise.race([settled, delay(stopTimeoutMs, true, { ref: false })]);
      if (isLate) exporter.reportFailure('the collector did not answer in time');
    },
  };
}

/** The SDK reads its variables from `process.env` alone, and only while it starts. */
function withEnvironment<Result>(variables: Record<string, string>, create: () => Result): Result {
  const before = process.env;
  process.env = { ...before, ...variables };
  try {
    return create();
  } finally {
    process.env = before;
  }
}

/**
 * Logs what the SDK says about its settings, and with OTEL_LOG_LEVEL also what it says later. Details are left out: they may
 * contain headers and URLs.
 */
function withDiagnostics<Result>(log: Logger, create: () => Result): Result {
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
  // The exporter reports its failures itself, once.
  setGlobalErrorHandler(() => undefined);
  try {
    return create();
  } finally {
    // Otherwise it would log each time that it has dropped spans.
    if (logLevel === undefined) diag.disable();
  }
}

function createExporter(): SpanExporter {
  const protocol =
    getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ??
    getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'http/protobuf';
  if (protocol === 'http/json') return new JsonExporter();
  if (protocol !== 'http/protobuf') {
    diag.warn(`the protocol '${protocol}' is not supported; traces are sent as http/protobuf`);
  }
  return new ProtobufExporter();
}

function describeProcess(version: string) {
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

/** Baggage is never passed on, since nothing here uses it. */
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

interface ReportingExporter extends SpanExporter {
  reportFailure: (reason: string) => void;
}

/** Logs the first of consecutive failures, and the first success after them. */
function reportFailures(exporter: SpanExporter, log: Logger): ReportingExporter {
  let isFailing = false;
  const reportFailure = (reason: string) => {
    if (!isFailing) {
      log.warn({ reason }, 'sending traces failed; spans are dropped until it works again');
    }
    isFailing = true;
  };
  return {
    reportFailure,
    export: (spans, done) => {
      exporter.export(spans, (result) => {
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

/** Never the message of the library, which may contain the URL or what the collector answered. */
function reasonOf(error: object | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `the collector answered with status ${code}`;
  if (typeof code === 'string') return `the connection to the collector failed (${code})`;
  return 'the collector was not able to take them in time';
}
