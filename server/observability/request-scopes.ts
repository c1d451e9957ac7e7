/** Requests to the service, as metrics and as spans of an HTTP server. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type { ReceivedRequest, RequestScope, SentResponse, Telemetry } from '../lib/telemetry.js';
import { type Instruments, noOperation } from './instruments.js';
import { failSpan, type Spans } from './spans.js';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** No path of the contract is longer. */
const maxPathLength = 256;

export function observeRequests(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): Telemetry['request'] {
  return (request): RequestScope => {
    const startedAt = performance.now();
    const span = spans && startSpan(spans, request);
    if (instruments) instruments.inFlight.requests += 1;
    return {
      trace: span?.spanContext(),
      end: (response) => {
        if (instruments) count(instruments, response, (performance.now() - startedAt) / 1000);
        if (span) endSpan(span, request, response);
      },
    };
  };
}

function count(instruments: Instruments, response: SentResponse, seconds: number): void {
  const operation = response.operation?.operationId ?? noOperation;
  const status = response.isAborted ? 'aborted' : response.status;
  instruments.inFlight.requests -= 1;
  instruments.requests.inc({ operation, status });
  instruments.requestSeconds.observe({ operation }, seconds);
}

function startSpan(spans: Spans, { id, method, isSecure, headers }: ReceivedRequest): Span {
  return spans.start(methodOf(method), {
    kind: SpanKind.SERVER,
    parent: spans.extract(headers),
    attributes: {
      'http.request.method': methodOf(method),
      'url.scheme': isSecure ? 'https' : 'http',
      'agent_hosting.request.id': id,
    },
  });
}

/** A path that is not of the contract may be anything, also a secret in the wrong place, so it is left out. */
function endSpan(span: Span, { method, path }: ReceivedRequest, response: SentResponse): void {
  const { operation, status, isAborted, accountId } = response;
  if (operation) {
    span.updateName(`${methodOf(method)} ${operation.path}`);
    span.setAttribute('http.route', operation.path);
    span.setAttribute('url.path', path.slice(0, maxPathLength));
    span.setAttribute('agent_hosting.operation', operation.operationId);
  }
  if (accountId !== undefined) span.setAttribute('agent_hosting.account.id', accountId);
  if (isAborted) failSpan(span, 'aborted');
  else span.setAttribute('http.response.status_code', status);
  if (status >= 500 && !isAborted) failSpan(span, String(status));
  span.end();
}

function methodOf(method: string): string {
  return knownMethods.has(method) ? method : '_OTHER';
}
