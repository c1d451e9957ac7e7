/** The plain client: openapi-fetch for every path of the contract. */
import type { ErrorResponse, paths } from './generated/schema.js';
import { resolveOptions, type ClientOptions } from './options.js';
import { createResponseError } from './response.js';
import { createTransport, type Transport } from './transport.js';

export type PlainClient = Transport<paths>;

/**
 * Creates an openapi-fetch client: `GET('/v1/agents/{agent_id}', …)` and so on resolve to `{ data, error, response }`.
 * Calls reject only if there is no response from the service.
 */
export function createClient(options?: ClientOptions): PlainClient {
  return createTransport(resolveOptions(options));
}

/** Returns the body of a successful response of the plain client; throws the matching error for any other response. */
export function unwrap<Body>(result: {
  data?: Body;
  error?: ErrorResponse | undefined;
  response: Response;
}): Body {
  const { data, error, response } = result;
  if (data === undefined) throw createResponseError(error?.error, response);
  return data;
}
