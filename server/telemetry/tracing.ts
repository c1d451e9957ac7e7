/**
 * Sends spans with the OpenTelemetry SDK. Imported only if tracing is on. The build bundles its imports, so that an installation
 * does not need the SDK's packages, most of whose files are never loaded.
 */
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import {
  CompositePropagator,
  getStringListFromEnv,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
} from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';
import {
  describeProcess,
  reportFailures,
  serviceName,
  stopProvider,
  withOpenTelemetry,
} from './open-telemetry.js';
import type { Tracing } from './spans.js';

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
