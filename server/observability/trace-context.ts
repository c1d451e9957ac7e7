/** W3C trace context, as it is sent along to others. */
import type { SpanContext } from '@opentelemetry/api';
import type { TraceHeaders } from '../lib/telemetry.js';
import { formatTraceParent } from '../lib/trace-parent.js';

export function traceHeadersOf(context: SpanContext): TraceHeaders {
  const traceparent = formatTraceParent(context);
  const tracestate = context.traceState?.serialize() ?? '';
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}
