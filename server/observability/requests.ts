/** Reports requests to the service: metrics, and spans by the conventions for HTTP servers. */
import { SpanKind } from '@opentelemetry/api';
import type { Telemetry } from '../lib/telemetry.js';
import { type Instruments, noOperation, secondsSince } from './instruments.js';
import { failSpan, type Tracing } from './spans.js';

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** No path of the contract is longer. */
const maxPathLength = 256;

export function observeRequests(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
): Telemetry['request'] {
  return ({ id, method: sentMethod, path, isSecure, headers }) => {
    const startedAt = performance.now();
    const method = knownMethods.includes(sentMethod) ? sentMethod : '_OTHER';
    const attributes = {
      'http.request.method': method,
      'url.scheme': isSecure ? 'https' : 'http',
      'agent_hosting.request.id': id,
    };
    const span = tracing?.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes },
      tracing.extract(headers),
    );
    instruments?.requestsInFlight.inc();

    return {
      trace: span?.spanContext(),
      end: ({ operation, status, isAborted, accountId }) => {
        if (instruments) {
          const name = operation?.operationId ?? noOperation;
          instruments.requestsInFlight.dec();
          instruments.requests.inc({ operation: name, status: isAborted ? 'aborted' : status });
          instruments.requestSeconds.observe({ operation: name }, secondsSince(startedAt));
        }
        if (!span) return;
        // Any other path may contain anything, even a key in the wrong place, so it is left out.
        if (operation) {
          span.updateName(`${method} ${operation.path}`);
          span.setAttribute('http.route', operation.path);
          span.setAttribute('agent_hosting.operation', operation.operationId);
          span.setAttribute('url.path', path.slice(0, maxPathLength));
        }
        if (accountId !== undefined) span.setAttribute('agent_hosting.account.id', accountId);
        if (isAborted) failSpan(span, 'aborted');
        else span.setAttribute('http.response.status_code', status);
        if (status >= 500 && !isAborted) failSpan(span, String(status));
        span.end();
      },
    };
  };
}
