/** Spans of OpenTelemetry, written by hand: the names and attributes are those of its semantic conventions. */
import { type Attributes, type Span, type SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { StartedInvocation, Trace } from '../lib/telemetry.js';

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
  /** Frozen if they are the same for many spans. */
  attributes: Readonly<Attributes>;
}

/** A word for what went wrong, of which there are few. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** What a caller does not want to be remembered is not in a trace either. */
export function isContentWanted(
  spans: Spans | undefined,
  { isPrivate }: Pick<StartedInvocation, 'isPrivate'>,
): boolean {
  return spans?.captureContent === true && !isPrivate;
}

/** Of one attribute: many spans wait in memory until they are sent. */
const maxContentLength = 4_096;

export function shortContent(text: string): string {
  return text.length > maxContentLength
    ? `${text.slice(0, maxContentLength).toWellFormed()}…`
    : text;
}

const maxRemembered = 1_000;

/** Returns the same attributes for the same values, so that they are serialized once. */
export function remembered<Values extends readonly (string | number)[]>(
  create: (...values: Values) => Readonly<Attributes>,
): (...values: Values) => Readonly<Attributes> {
  const known = new Map<string, Readonly<Attributes>>();
  return (...values) => {
    const key = values.join('\n');
    const found = known.get(key);
    if (found) return found;
    if (known.size >= maxRemembered) known.clear();
    const attributes = create(...values);
    known.set(key, attributes);
    return attributes;
  };
}
