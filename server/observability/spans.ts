/** Spans of OpenTelemetry, written by hand. Their names and attributes are those of its semantic conventions. */
import { type Attributes, type Span, type SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Trace, TraceHeaders } from './telemetry.js';

export interface Tracing {
  /**
   * Without a parent, the span begins a trace. Attributes are set when it ends, all at once: those given at the start are checked
   * and copied three times by the SDK, for the sake of samplers, of which none here reads them.
   */
  startSpan: (name: string, kind: SpanKind, parent: Trace) => Span;
  /** The trace that the headers of a request name; undefined unless they are valid. */
  extract: (headers: object) => Trace;
  /** The headers that continue the trace elsewhere. */
  inject: (context: NonNullable<Trace>) => TraceHeaders;
  /** Whether spans contain the texts of messages and tools. */
  captureContent: boolean;
}

interface Server {
  host: string;
  /** Undefined: the usual one. */
  port: number | undefined;
}

export function serverAttributes(server: Server | undefined): Attributes {
  return { 'server.address': server?.host, 'server.port': server?.port };
}

/** `type` is one of few words, never the message of an error, which may contain anything. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** Per attribute: many spans wait in memory until they are sent. */
const maxContentLength = 4_096;

export function shortContent(text: string): string {
  return text.length > maxContentLength
    ? `${text.slice(0, maxContentLength).toWellFormed()}…`
    : text;
}
