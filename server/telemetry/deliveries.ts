/** Reports webhook delivery attempts as metrics, and as spans that follow the conventions for HTTP clients. */
import { SpanKind } from '@opentelemetry/api';
import type { Telemetry } from './telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { failSpan, type Tracing } from './spans.js';

export function observeDeliveries(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
): Telemetry['delivery'] {
  return ({ eventId, webhookId, requestId, type, host, attempt, trace }) => {
    const startedAt = performance.now();
    const span = tracing?.startSpan(`deliver ${type}`, SpanKind.CLIENT, trace);

    return {
      headers: tracing && span ? tracing.inject(span.spanContext()) : {},
      end: (result) => {
        if (result) {
          instruments?.deliveries.inc({ outcome: result.outcome });
          instruments?.deliverySeconds.observe(secondsSince(startedAt));
        }
        if (!span) return;
        const { outcome = 'interrupted', status = null } = result ?? {};
        // The URL is omitted: its query may contain secrets of the receiver.
        span.setAttributes({
          'http.request.method': 'POST',
          'http.request.resend_count': attempt - 1,
          'http.response.status_code': status ?? undefined,
          'server.address': host,
          'agent_hosting.event.id': eventId,
          'agent_hosting.event.type': type,
          'agent_hosting.webhook.id': webhookId,
          'agent_hosting.request.id': requestId,
        });
        if (outcome !== 'delivered') failSpan(span, status === null ? outcome : String(status));
        span.end();
      },
    };
  };
}
