/** Reports requests as metrics, and as spans that follow the conventions for HTTP servers. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type { ReceivedRequest, SentResponse, Telemetry } from './telemetry.js';
import { type Instruments, noOperation, secondsSince } from './instruments.js';
import { failSpan, serverAttributes, type Tracing } from './spans.js';

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** No path of the contract and no host name is longer. */
const maxLength = 256;

export function createRequestObserver(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
): Telemetry['request'] {
  return (request) => {
    const startedAt = performance.now();
    const parent = tracing?.extract(request.headers);
    const span = tracing?.startSpan(methodOf(request), SpanKind.SERVER, parent);
    instruments?.requestsInFlight.inc();

    return {
      trace: span?.spanContext(),
      end: (response) => {
        if (instruments) count(instruments, response, startedAt);
        if (span) endSpan(span, request, response);
      },
    };
  };
}

/** Clients may send any method, so unknown ones share a name. */
function methodOf({ method }: ReceivedRequest): string {
  return knownMethods.includes(method) ? method : '_OTHER';
}

function count(
  instruments: Instruments,
  { operation, status, isAborted }: SentResponse,
  startedAt: number,
): void {
  const name = operation?.operationId ?? noOperation;
  instruments.requestsInFlight.dec();
  instruments.requests.inc({ operation: name, status: isAborted ? 'aborted' : status });
  instruments.requestSeconds.observe({ operation: name }, secondsSince(startedAt));
}

function endSpan(span: Span, request: ReceivedRequest, response: SentResponse): void {
  const { operation, status, isAborted, accountId } = response;
  if (span.isRecording()) {
    const method = methodOf(request);
    span.setAttributes({
      'http.request.method': method,
      'http.response.status_code': isAborted ? undefined : status,
      'url.scheme': request.secure ? 'https' : 'http',
      ...serverAttributes(serverOf(request.host)),
      'agent_hosting.request.id': request.requestId,
      'agent_hosting.account.id': accountId,
    });
    // Other paths are omitted: they may contain anything, even a misplaced API key.
    if (operation) {
      span.updateName(`${method} ${operation.path}`);
      span.setAttribute('http.route', operation.path);
      span.setAttribute('url.path', request.path.slice(0, maxLength));
      span.setAttribute('agent_hosting.operation', operation.operationId);
    }
    if (isAborted) failSpan(span, 'aborted');
    else if (status >= 500) failSpan(span, String(status));
  }
  span.end();
}

/** Removes the brackets around an IPv6 address. */
function serverOf(host = '') {
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(host) ?? [];
  const address = bracketed ?? name;
  if (address === undefined) return undefined;
  return { host: address.slice(0, maxLength), port: port === undefined ? undefined : Number(port) };
}
