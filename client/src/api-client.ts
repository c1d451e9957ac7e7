/** The calls that the generated methods of the client make: plain, streamed, asynchronous, and lists. */
import { createApiPromise, type ApiPromise } from './api-promise.js';
import { createAsyncInvocation, type AsyncInvocation } from './async-invocation.js';
import { headersFrom, type HeaderOptions } from './generated/service.js';
import {
  requireValidHeaders,
  type ClientSettings,
  type HeaderValues,
  type RequestOptions,
} from './options.js';
import { createPages, toPage, type Pages } from './pagination.js';
import { rejectErrors } from './response.js';
import { createInvocationStream, type InvocationStream } from './streaming.js';
import {
  createIdempotencyKey,
  createTransport,
  type RetryListener,
  sendRequest,
} from './transport.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface RequestParameters {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: object | undefined;
  /** Override the headers of the client and of the call. */
  headers?: HeaderValues;
  options?: (RequestOptions & HeaderOptions & RetryListener) | undefined;
}

type Call<Result> = (method: Method, path: string, parameters: RequestParameters) => Result;

export interface ApiClient {
  /** Resolves to the data of the response. */
  request: Call<ApiPromise<never>>;
  stream: Call<InvocationStream>;
  submit: Call<AsyncInvocation>;
  list: Call<Pages<never>>;
}

/** The generated methods are typed by the contract, so here every path takes any parameters. */
interface AnyOperation {
  parameters: Pick<RequestParameters, 'path' | 'query'> & { header: HeaderValues };
  requestBody?: { content: { 'application/json': object } };
  responses: object;
}

export function createApiClient(settings: ClientSettings): ApiClient {
  const client = createTransport<Record<string, Record<Method, AnyOperation>>>(settings);
  client.use(rejectErrors);
  const send: Call<Promise<Response>> = async (method, schemaPath, parameters) => {
    const { path, query, body, headers, options = {} } = parameters;
    const header = { ...headersFrom(options), ...headers };
    requireValidHeaders({ ...options.headers, ...header });
    const { response } = await client.request(method, schemaPath, {
      params: { path, query, header },
      body,
      headers: { ...options.headers },
      parseAs: 'stream',
      // The signal is not passed to the Request: it would keep its listener after the call has ended.
      fetch: (request) => sendRequest(settings, request, options),
    });
    return response;
  };
  const request: ApiClient['request'] = (method, path, parameters) =>
    createApiPromise(send(method, path, parameters), ({ data }) => data as never);
  return {
    request,
    stream: (method, path, { options = {}, ...parameters }) => {
      const {
        maxRetries = settings.maxRetries,
        timeout = settings.timeout,
        idempotencyKey = createIdempotencyKey(),
        signal: callSignal,
      } = options;
      return createInvocationStream(
        ({ lastEventId, isCancelling, ...attempt }) =>
          send(method, path, {
            ...parameters,
            headers: {
              accept: 'text/event-stream',
              'last-event-id': lastEventId,
              // An older service ignores `cancel`, and stops the invocation when this request disconnects.
              prefer: isCancelling ? 'cancel, grace=0' : undefined,
            },
            options: { ...options, idempotencyKey, ...attempt },
          }),
        { host: new URL(settings.baseUrl).host, maxRetries, timeout, signal: callSignal },
      );
    },
    submit: (method, path, { options = {}, ...parameters }) => {
      const { idempotencyKey = createIdempotencyKey(), timeout = settings.timeout } = options;
      // Half the time-out of an attempt, and less than the idle time-out of common proxies.
      const wait = Math.floor(Math.min(timeout || Infinity, 40_000) / 2_000);
      return createAsyncInvocation(
        (signal, isRepeat) =>
          request(method, path, {
            ...parameters,
            headers: { prefer: isRepeat ? `respond-async, wait=${wait}` : 'respond-async' },
            options: { ...options, idempotencyKey, signal },
          }),
        idempotencyKey,
        options.signal,
      );
    },
    // A search has its query in the body and takes no offset.
    list: (method, path, { query, body, ...parameters }) =>
      createPages(
        (part) =>
          createApiPromise(
            send(method, path, { ...parameters, [body ? 'body' : 'query']: part }),
            toPage,
          ),
        body ?? query,
        !body,
      ),
  };
}
