/** Spans of OpenTelemetry, written by hand: the names and attributes are those of its semantic conventions. */
import { type Attributes, type Span, type SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Trace } from '../lib/telemetry.js';

export interface Spans {
  /** Undefined as parent: a trace begins. */
  start: (name: string, options: SpanOptions) => Span;
  /** What the headers of a request say of its trace; undefined unless that is valid. */
  extract: (headers: object) => Trace;
  /** Whether texts of messages and tools belong in the spans. */
  captureContent: boolean;
}

export interface SpanOptions {
  kind: SpanKind;
  parent: Trace;
  attributes: Attributes;
}

/** A word for what went wrong, of which there are few. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** Of one attribute: many spans wait in memory until they are sent. */
const maxContentLength = 4_096;

export function shortContent(text: string): string {
  return text.length > maxContentLength
    ? `${text.slice(0, maxContentLength).toWellFormed()}…`
    : text;
}
