/** Rejects HTTP/1.1 requests without a Host header, as the standard requires. */
import type { RequestHandler } from 'express';
import { ServiceError } from '../../domain/errors.js';

export const requireHost: RequestHandler = (req, _res, next) => {
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new ServiceError('invalid_request', 'The request has no Host header.');
  }
  next();
};
