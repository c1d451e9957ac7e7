/** Calls operations over real HTTP with supertest, and checks every response against the contract. */
import supertest from 'supertest';
import type { operations as contractOperations } from '../../../generated/api.js';
import { type OperationId, operations } from '../../../generated/operations.js';
import { checkAnswer } from './contract-check.js';

type JsonBody<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : never;

type Responses<Id extends OperationId> = contractOperations[Id]['responses'];

export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  signal?: AbortSignal;
}

export interface Answered<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface Api {
  /** Returns any response. */
  call: (operationId: OperationId, call?: Call) => Promise<Answered<unknown>>;
  /** Returns the body of a response that must have this status. */
  expect: <Id extends OperationId, Status extends keyof Responses<Id> & number>(
    operationId: Id,
    status: Status,
    call?: Call,
  ) => Promise<JsonBody<Responses<Id>[Status]>>;
}

/** Sends a request to the service. */
export type Transport = (address: URL, init: RequestInit) => Promise<Response>;

/** Sends with supertest, unless another transport is given or the call can be aborted, which requires fetch. */
export function apiClient(url: string, key?: string, transport?: Transport): Api {
  const call: Api['call'] = async (operationId, request = {}) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...request.headers,
    };
    const sent = { ...request, headers };
    const response =
      transport || request.signal
        ? await send(url, operationId, sent, transport)
        : await sendByTest(url, operationId, sent);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const body: unknown = isJson ? JSON.parse(text) : text;
    checkAnswer(operationId, response, body);
    return { status: response.status, headers: response.headers, body };
  };
  return {
    call,
    expect: async (operationId, status, request) => {
      const answer = await call(operationId, request);
      if (answer.status !== status) {
        throw new Error(
          `${operationId} answered ${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`,
        );
      }
      // The contract check has validated this type.
      return answer.body as never;
    },
  };
}

/** The status of a URL. The body is read to its end to release the connection. */
export async function statusAt(address: string | URL, init?: RequestInit): Promise<number> {
  const response = await fetch(address, init);
  await response.arrayBuffer();
  return response.status;
}

async function sendByTest(url: string, operationId: OperationId, call: Call): Promise<Response> {
  const { address, method, headers, body } = requestOf(url, operationId, call);
  const answer = await supertest(address.origin)
    [method](address.pathname + address.search)
    .set(headers)
    .send(body);
  return new Response(answer.text, {
    status: answer.status,
    headers: answer.headers as Record<string, string>,
  });
}

/** Sends a request to an operation and returns the raw response, unread and unchecked. */
export function send(
  url: string,
  operationId: OperationId,
  call: Call = {},
  transport: Transport = fetch,
): Promise<Response> {
  const { address, method, headers, body } = requestOf(url, operationId, call);
  return transport(address, {
    method: method.toUpperCase(),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
}

function requestOf(
  url: string,
  operationId: OperationId,
  { path = {}, query = {}, headers = {}, body }: Call,
) {
  const { method, path: template } = operations[operationId];
  const address = new URL(
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name)),
    url,
  );
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return {
    address,
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}
