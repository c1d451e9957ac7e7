/** The place of something in a trace as text, as W3C trace context writes it in the header `traceparent`. */
import type { SpanContext } from '@opentelemetry/api';

export function formatTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** Ids of zeros only are invalid by the standard. */
const traceParent = /^00-(?!0+-)([0-9a-f]{32})-(?!0+-)([0-9a-f]{16})-0([01])$/;

/** For what was written here; undefined for anything else. */
export function parseTraceParent(text: string | null): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceParent.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number(flags), isRemote: true };
}
