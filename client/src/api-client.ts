/** What the methods of the fluent client are built on: a request, a streamed or asynchronous one, a list. */
import { createApiPromise, type ApiPromise } from './api-promise.js';
import { createAsyncInvocation, type AsyncInvocation } from './async-invocation.js';
import { headersFrom, type HeaderOptions } from './generated/service.js';
import type { ClientSettings, HeaderFields, RequestOptions } from './options.js';
import { createPages, toPage, type Pages } from './pagination.js';
import { createIdempotencyKey, hostOf, sendRequest, type ApiResponse } from './request.js';
import { createInvocationStream, type InvocationStream } from './streaming.js';
import { queryString } from './url.js';

interface RequestParameters {
  query?: object | undefined;
  body?: object | undefined;
  /** Override the headers of client and call. */
  headers?: Record<string, string | undefined>;
  options?: (RequestOptions & HeaderOptions) | undefined;
}

/** Results are typed by the generated interface of the resources, not here. */
export interface ApiClient {
  /** Resolves to the data of the response. */
  request: (method: string, path: string, parameters: RequestParameters) => ApiPromise<never>;
  stream: (method: string, path: string, parameters: RequestParameters) => InvocationStream;
  submit: (method: string, path: string, parameters: RequestParameters) => AsyncInvocation;
  list: (method: string, path: string, parameters: RequestParameters) => Pages<never>;
}

export function createApiClient(settings: ClientSettings): ApiClient {
  const send = (
    method: string,
    path: string,
    { query, body, headers, options }: RequestParameters,
  ): Promise<ApiResponse> => {
    const url = settings.baseUrl + path + queryString(query);
    const requestHeaders = mergeHeaders(
      { accept: 'application/json', 'content-type': body && 'application/json' },
      settings.headers,
      headersFrom(options),
      options?.headers,
      headers,
    );
    return sendRequest(
      settings,
      { url, method, headers: requestHeaders, body: JSON.stringify(body) },
      options,
    );
  };
  const request: ApiClient['request'] = (method, path, parameters) =>
    createApiPromise(send(method, path, parameters), (body) => body as never);
  return {
    request,
    stream: (method, path, { body, options = {} }) => {
      const {
        maxRetries = settings.maxRetries,
        idempotencyKey = createIdempotencyKey(),
        signal,
      } = options;
      return createInvocationStream(
        (lastEventId, isLeaving) =>
          send(method, path, {
            body,
            headers: {
              accept: 'text/event-stream',
              'last-event-id': lastEventId,
              prefer: isLeaving ? 'grace=0' : undefined,
            },
            options: { ...options, idempotencyKey, signal: isLeaving ? undefined : signal },
          }),
        { host: hostOf(settings.baseUrl), maxRetries, signal },
      );
    },
    submit: (method, path, { body, options }) => {
      const { idempotencyKey = createIdempotencyKey(), timeout = settings.timeout } = options ?? {};
      // Half of what an attempt may take, and no longer than proxies let a connection be idle.
      const wait = Math.floor(Math.min(timeout || Infinity, 40_000) / 2_000);
      return createAsyncInvocation(
        (signal, isRepeat) =>
          request(method, path, {
            body,
            headers: { prefer: isRepeat ? `respond-async, wait=${wait}` : 'respond-async' },
            options: { ...options, idempotencyKey, signal },
          }),
        idempotencyKey,
        options?.signal,
      );
    },
    // A search has its query in the body, and no offset.
    list: (method, path, { query, body, options }) =>
      createPages(
        (part) =>
          createApiPromise(
            send(method, path, { [body ? 'body' : 'query']: part, options }),
            toPage,
          ),
        body ?? query,
        !body,
      ),
  };
}

/** Later ones override earlier ones. A `Headers` object would do the same, at several times the cost. */
function mergeHeaders(...all: (Record<string, string | undefined> | undefined)[]): HeaderFields {
  const merged: HeaderFields = {};
  for (const headers of all) {
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) merged[name.toLowerCase()] = value;
    }
  }
  return merged;
}
