/** Redirects that stay behind a proxy. */
import type { RequestHandler } from 'express';
import { maxAgeSeconds } from './static-file.js';

/** To a path relative to that of the request, so that it is right behind a proxy that adds a prefix. */
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
