/** Puts functions around fetch, each of which sees what goes out and what comes back. */

/** Sees every attempt of a request, and may change what goes out and what comes back. */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/** A fetch for the client's `fetch` option, with middleware from the outermost to the innermost. */
export function withMiddleware(...layers: Middleware[]): typeof globalThis.fetch {
  const chain = layers.reduceRight<(request: Request) => Promise<Response>>(
    (next, layer) => (request) => layer(request, next),
    (request) => globalThis.fetch(request),
  );
  return (input, init) => chain(new Request(input, init));
}
