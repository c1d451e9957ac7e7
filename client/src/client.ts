/** The plain level: openapi-fetch for every path of the contract, with the key, retries and time-outs built in. */
import createFetchClient, { type Client } from 'openapi-fetch';
import { apiError } from './answer.js';
import { deliver } from './deliver.js';
import type { ErrorResponse, paths } from './generated/schema.js';
import { settingsFrom, type ClientOptions } from './options.js';
import { segment } from './send.js';

export type PlainClient = Client<paths, 'application/json'>;

/**
 * An openapi-fetch client: `GET('/v1/agents/{agent_id}', …)` and so on, resolving to `{ data, error, response }`. It
 * rejects only where there is no answer of the service.
 */
export function createClient(options?: ClientOptions): PlainClient {
  const settings = settingsFrom(options);
  return createFetchClient({
    ...settings,
    pathSerializer: (path, values) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) => segment(String(values[name]))),
    fetch: async (request) => {
      const { method, headers } = request;
      const [response, text, watch] = await deliver(
        settings,
        {
          // What has no body can be sent twice as it is.
          input: () => (method === 'GET' ? request : request.clone()),
          method,
          headers: Object.fromEntries(headers),
          body: null,
        },
        // openapi-fetch hands on what a call was told besides: its signal, timeout and maxRetries.
        request,
      );
      if (text === undefined) {
        watch(0);
        return response;
      }
      return new Response(text || null, response);
    },
  });
}

/** The body of a successful answer of the plain client; throws the error that any other stands for. */
export function unwrap<Body>(result: {
  data?: Body;
  error?: ErrorResponse | undefined;
  response: Response;
}): Body {
  const { data, error, response } = result;
  if (data === undefined) throw apiError(error?.error, response.headers, response.status);
  return data;
}
