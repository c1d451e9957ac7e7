/** Middleware around fetch. */

/** Called for every attempt of a request; may change the request and the response. */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/** Creates a value for the client's `fetch` option. The first middleware is the outermost. */
export function withMiddleware(...layers: Middleware[]): typeof globalThis.fetch {
  const chain = layers.reduceRight<(request: Request) => Promise<Response>>(
    (next, layer) => (request) => layer(request, next),
    (request) => globalThis.fetch(request),
  );
  return (input, init) => chain(new Request(input, init));
}
