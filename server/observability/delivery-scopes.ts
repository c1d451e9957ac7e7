/** Attempts to deliver events to webhooks, as metrics and as spans of an HTTP client. */
import { SpanKind } from '@opentelemetry/api';
import type { DeliveryScope, Telemetry } from '../lib/telemetry.js';
import type { Instruments } from './instruments.js';
import { failSpan, type Spans } from './spans.js';
import { traceHeadersOf } from './trace-context.js';

export function observeDeliveries(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): Telemetry['delivery'] {
  return ({ eventId, webhookId, requestId, type, host, attempt, trace }): DeliveryScope => {
    const startedAt = performance.now();
    // Without the URL: receivers put secrets into its query.
    const span = spans?.start(`deliver ${type}`, {
      kind: SpanKind.CLIENT,
      parent: trace,
      attributes: {
        'http.request.method': 'POST',
        'http.request.resend_count': attempt - 1,
        'server.address': host,
        'agent_hosting.event.id': eventId,
        'agent_hosting.event.type': type,
        'agent_hosting.webhook.id': webhookId,
        'agent_hosting.request.id': requestId,
      },
    });
    return {
      headers: span ? traceHeadersOf(span.spanContext()) : {},
      end: (result) => {
        if (result) {
          instruments?.deliveries.inc({ outcome: result.outcome });
          instruments?.deliverySeconds.observe({}, (performance.now() - startedAt) / 1000);
        }
        if (!span) return;
        const { outcome = 'interrupted', status = null } = result ?? {};
        if (status !== null) span.setAttribute('http.response.status_code', status);
        if (outcome !== 'delivered') failSpan(span, status === null ? outcome : String(status));
        span.end();
      },
    };
  };
}
