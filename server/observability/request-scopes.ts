/** Requests to the service, as metrics and as spans of an HTTP server. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type {
  ReceivedRequest,
  RequestScope,
  SentResponse,
  Telemetry,
  Trace,
} from '../lib/telemetry.js';
import { type Instruments, noOperation } from './instruments.js';
import { failSpan, remembered, type Spans } from './spans.js';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** No path of the contract is longer. */
const maxPathLength = 256;

export function observeRequests(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): Telemetry['request'] {
  return (request) => new ObservedRequest(request, instruments, spans);
}

/** A class, since closures and getters made anew for each request cost more than what they count. */
class ObservedRequest implements RequestScope {
  readonly #startedAt = performance.now();
  readonly #request: ReceivedRequest;
  readonly #instruments: Instruments | undefined;
  readonly #span: Span | undefined;

  constructor(request: ReceivedRequest, instruments?: Instruments, spans?: Spans) {
    this.#request = request;
    this.#instruments = instruments;
    this.#span = spans && startSpan(spans, request);
    if (instruments) instruments.inFlight.requests += 1;
  }

  get trace(): Trace {
    return this.#span?.spanContext();
  }

  end(response: SentResponse): void {
    if (this.#instruments) {
      count(this.#instruments, response, (performance.now() - this.#startedAt) / 1000);
    }
    if (this.#span) endSpan(this.#span, this.#request, response);
  }
}

function count(instruments: Instruments, response: SentResponse, seconds: number): void {
  const operation = response.operation?.operationId ?? noOperation;
  const status = response.isAborted ? 'aborted' : response.status;
  instruments.inFlight.requests -= 1;
  instruments.requests.inc({ operation, status });
  instruments.requestSeconds.observe({ operation }, seconds);
}

function startSpan(spans: Spans, { id, method, isSecure, headers }: ReceivedRequest): Span {
  const attributes = attributesOf(methodOf(method), isSecure() ? 'https' : 'http');
  const options = { kind: SpanKind.SERVER, parent: spans.extract(headers), attributes };
  return spans.start(methodOf(method), options).setAttribute('agent_hosting.request.id', id);
}

const attributesOf = remembered((method: string, scheme: string) =>
  Object.freeze({ 'http.request.method': method, 'url.scheme': scheme }),
);

const routeOf = remembered((path: string, operationId: string) =>
  Object.freeze({ 'http.route': path, 'agent_hosting.operation': operationId }),
);

/** A path that is not of the contract may be anything, also a secret in the wrong place, so it is left out. */
function endSpan(span: Span, { method, path }: ReceivedRequest, response: SentResponse): void {
  const { operation, status, isAborted, accountId } = response;
  if (operation) {
    span.updateName(`${methodOf(method)} ${operation.path}`);
    span.setAttributes(routeOf(operation.path, operation.operationId));
    span.setAttribute('url.path', path.slice(0, maxPathLength));
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
