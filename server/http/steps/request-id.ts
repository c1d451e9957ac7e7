/** Assigns each request an id before anything else, so that every error can be found in the log. */
import type { RequestHandler } from 'express';
import { newId } from '../../lib/data/typeid.js';

export const assignRequestId: RequestHandler = (req, res, next) => {
  req.requestId = newId('req');
  res.setHeader('X-Request-Id', req.requestId);
  next();
};
