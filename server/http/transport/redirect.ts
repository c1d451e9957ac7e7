/** Redirects that work behind a proxy. */
import type { RequestHandler } from 'express';
import { maxAgeSeconds } from './static-file.js';

/** `location` is relative to the request's path, so that it works behind a proxy that adds a prefix. */
export function redirectTo(location: string): RequestHandler {
  return (_req, res) => {
    res
      .writeHead(302, {
        Location: location,
        'Cache-Control': `public, max-age=${maxAgeSeconds}`,
        'Content-Length': 0,
        'X-Content-Type-Options': 'nosniff',
      })
      .end();
  };
}
