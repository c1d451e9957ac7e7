/** Names each request before anything else happens to it, so that whatever goes wrong can be found in the log. */
import type { RequestHandler } from 'express';
import { newId } from '../../lib/typeid.js';

export const assignRequestId: RequestHandler = (req, res, next) => {
  req.requestId = newId('req');
  res.setHeader('X-Request-Id', req.requestId);
  next();
};
