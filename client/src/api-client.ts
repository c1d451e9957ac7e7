/** What the methods of the fluent client are built on: a request, a streamed request, a list. */
import { headersFrom, type HeaderOptions } from './generated/service.js';
import type { ClientSettings, HeaderFields, RequestOptions } from './options.js';
import { createPages, type Pages } from './pagination.js';
import { sendRequest, type ApiResponse } from './request.js';
import { parseResponse } from './response.js';
import { createInvocationStream, type InvocationStream } from './streaming.js';
import { queryString } from './url.js';

interface RequestParameters {
  query?: object | undefined;
  body?: object | undefined;
  /** Override the headers of client and call. */
  headers?: HeaderFields;
  options?: (RequestOptions & HeaderOptions) | undefined;
}

/** Results are typed by the generated interface of the resources, not here. */
export interface ApiClient {
  /** Resolves to the data of the response. */
  request: (method: string, path: string, parameters: RequestParameters) => Promise<never>;
  stream: (method: string, path: string, parameters: RequestParameters) => InvocationStream;
  list: (path: string, parameters: RequestParameters) => Pages<never>;
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
      { input: () => url, method, headers: requestHeaders, body: JSON.stringify(body) },
      options,
    );
  };
  const request: ApiClient['request'] = async (method, path, parameters) =>
    parseResponse(await send(method, path, parameters)) as never;
  return {
    request,
    stream: (method, path, parameters) =>
      createInvocationStream(() =>
        send(method, path, { ...parameters, headers: { accept: 'text/event-stream' } }),
      ),
    list: (path, { query, options }) =>
      createPages((pageQuery) => request('GET', path, { query: pageQuery, options }), query),
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
