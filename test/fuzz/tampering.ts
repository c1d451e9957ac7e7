/** Ways to put a fault between the fuzzer and the service. */
import { isObject, type JsonObject } from '../../scripts/lib/json.js';
import { type Answer, answerOf, type FuzzRequest, type Transport } from './http.js';

export interface SeededFault {
  name: string;
  /** The operation that the report must name. */
  operationId: string;
  tamper: (next: Transport) => Transport;
}

/** Changes the JSON of successful answers. */
export function inBody(
  operationId: string,
  name: string,
  change: (body: JsonObject) => JsonObject,
): SeededFault {
  return inAnswer(operationId, name, (answer) =>
    answer.status < 300 && isObject(answer.body)
      ? answerOf(answer.status, answer.headers, JSON.stringify(change(answer.body)))
      : answer,
  );
}

/** Changes `data` of successful answers. */
export function inData(
  operationId: string,
  name: string,
  change: (data: JsonObject) => JsonObject,
): SeededFault {
  return inBody(operationId, name, (body) => ({
    ...body,
    data: change(body['data'] as JsonObject),
  }));
}

/** Changes each item of a list. */
export function inItems(
  operationId: string,
  name: string,
  change: (item: JsonObject) => JsonObject,
): SeededFault {
  return inBody(operationId, name, (body) => ({
    ...body,
    data: (body['data'] as JsonObject[]).map(change),
  }));
}

export function inAnswer(
  operationId: string,
  name: string,
  change: (answer: Answer, request: FuzzRequest) => Answer,
): SeededFault {
  return {
    name,
    operationId,
    tamper: (next) => async (request) => {
      const answer = await next(request);
      return request.operation.operationId === operationId ? change(answer, request) : answer;
    },
  };
}

/** Changes requests before they reach the service, which then accepts or does something else. */
export function inRequest(
  operationId: string,
  name: string,
  change: (request: FuzzRequest) => FuzzRequest,
): SeededFault {
  return {
    name,
    operationId,
    tamper: (next) => (request) =>
      next(request.operation.operationId === operationId ? change(request) : request),
  };
}

export function withBody(
  request: FuzzRequest,
  change: (body: JsonObject) => JsonObject,
): FuzzRequest {
  if (!isObject(request.body)) return request;
  const body = change(request.body);
  return { ...request, body, payload: JSON.stringify(body) };
}

export function withQuery(
  request: FuzzRequest,
  name: string,
  change: (value: string) => string | undefined,
): FuzzRequest {
  const [path = '', search = ''] = request.target.split('?');
  const parameters = new URLSearchParams(search);
  const present = parameters.get(name);
  if (present === null) return request;
  const changed = change(present);
  if (changed === undefined) parameters.delete(name);
  else parameters.set(name, changed);
  return { ...request, target: `${path}?${parameters.toString()}` };
}

export function withoutHeader(answer: Answer, name: string): Answer {
  const others = Object.entries(answer.headers).filter(([known]) => known !== name);
  return { ...answer, headers: Object.fromEntries(others) };
}

/** An error that names a field. */
export function refusal({ headers }: Answer, status: number, code: string, field: string): Answer {
  const error = { code, message: 'Validation failed', details: [{ field, error: 'is wrong' }] };
  return answerOf(status, headers, JSON.stringify({ success: false, error }));
}
