/** Rejects requests with several Host headers, and HTTP/1.1 requests without one, as RFC 9112 requires. */
import type { RequestHandler } from 'express';
import { ServiceError } from '../../contract/errors.js';

export const requireHost: RequestHandler = (req, _res, next) => {
  if (countHostHeaders(req.rawHeaders) > 1) {
    throw new ServiceError('invalid_request', 'The request has more than one Host header.');
  }
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new ServiceError('invalid_request', 'The request has no Host header.');
  }
  next();
};

/** Counts in the raw headers, an array of alternating names and values: Node's parsed headers keep only the first Host. */
function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
