/** Manually created OpenTelemetry spans. Names and attributes follow the semantic conventions. */
import { type Attributes, type Span, type SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { TraceHeaders } from '../models/observer.js';
import type { Trace } from './telemetry.js';

export interface Tracing {
  /**
   * Without a parent, the span begins a trace. Attributes are set together when it ends: the SDK checks and copies those given at the
   * start three times for samplers, and no sampler here reads them.
   */
  startSpan: (name: string, kind: SpanKind, parent: Trace) => Span;
  /** Reads the trace context from request headers; undefined unless they are valid. */
  extract: (headers: object) => Trace;
  /** Returns the headers that pass the trace on to another service. */
  inject: (context: NonNullable<Trace>) => TraceHeaders;
  /** Whether spans contain the texts of messages and tools. */
  captureContent: boolean;
}

interface Server {
  host: string;
  /** Undefined if it is the default port. */
  port: number | undefined;
}

export function serverAttributes(server: Server | undefined): Attributes {
  return { 'server.address': server?.host, 'server.port': server?.port };
}

/** `type` is from a small set of words; an error message could contain anything. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** Limits each attribute, because many spans wait in memory until they are sent. */
const maxContentLength = 4_096;

export function truncateContent(text: string): string {
  return text.length > maxContentLength
    ? `${text.slice(0, maxContentLength).toWellFormed()}…`
    : text;
}
