/** The place of something in a trace as text, as W3C trace context writes it in the header `traceparent`. */
import type { SpanContext } from '@opentelemetry/api';

export function formatTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** For what was written here; undefined for anything else. */
export function parseTraceParent(text: string | null): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-(\w{32})-(\w{16})-0([01])$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number(flags), isRemote: true };
}
