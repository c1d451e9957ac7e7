/** Formats and parses span contexts in the format of the W3C `traceparent` header. */
import type { SpanContext } from '@opentelemetry/api';

export function formatTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** The standard forbids ids of zeros only. */
const traceParent = /^00-(?!0+-)([0-9a-f]{32})-(?!0+-)([0-9a-f]{16})-0([01])$/;

/** Parses only the output of `formatTraceParent`; undefined for any other text. */
export function parseTraceParent(text: string | null): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceParent.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number(flags), isRemote: true };
}
