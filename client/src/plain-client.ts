/** The plain client: openapi-fetch for every path of the contract, with authentication, retries and time-outs. */
import createFetchClient, { type Client } from 'openapi-fetch';
import type { ErrorResponse, paths } from './generated/schema.js';
import { resolveOptions, type ClientOptions } from './options.js';
import { sendRequest } from './request.js';
import { createApiError } from './response.js';
import { encodePathSegment } from './url.js';

export type PlainClient = Client<paths, 'application/json'>;

/**
 * An openapi-fetch client: `GET('/v1/agents/{agent_id}', …)` and so on, resolving to `{ data, error, response }`. It
 * rejects only if there is no response from the service.
 */
export function createClient(options?: ClientOptions): PlainClient {
  const settings = resolveOptions(options);
  return createFetchClient({
    ...settings,
    pathSerializer: (path, values) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) => encodePathSegment(String(values[name]))),
    fetch: async (request) => {
      const { method, headers } = request;
      const { response, text, timeout } = await sendRequest(
        settings,
        {
          url: request.url,
          // A request without a body can be sent again as it is.
          create: () => (method === 'GET' ? request : request.clone()),
          method,
          headers: Object.fromEntries(headers),
          body: null,
        },
        // openapi-fetch copies the other options of a call to its request: signal, timeout and maxRetries.
        request,
      );
      if (text === undefined) {
        // The caller reads the stream, so the client cannot tell whether it is idle.
        timeout.clear();
        return response;
      }
      return new Response(text || null, response);
    },
  });
}

/** The body of a successful response of the plain client; throws the matching error for any other response. */
export function unwrap<Body>(result: {
  data?: Body;
  error?: ErrorResponse | undefined;
  response: Response;
}): Body {
  const { data, error, response } = result;
  if (data === undefined) throw createApiError(error?.error, response.headers, response.status);
  return data;
}
