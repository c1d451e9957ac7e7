/** Refuses what HTTP/1.1 demands to be refused: a request that does not say which host it is for. */
import type { RequestHandler } from 'express';
import { ServiceError } from '../../domain/errors.js';

export const requireHost: RequestHandler = (req, _res, next) => {
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new ServiceError('invalid_request', 'The request has no Host header.');
  }
  next();
};
