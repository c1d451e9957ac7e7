/** Reads a JSON body and refuses what PostgreSQL or a stack could not bear, before anything else looks at it. */
import type { IncomingHttpHeaders } from 'node:http';
import express, { type RequestHandler } from 'express';
import { invalid, ServiceError } from '../../domain/errors.js';
import { findUnstorable } from './storable.js';
import { malformed, tooLarge, wrongMediaType } from './request-errors.js';

const limit = 1024 * 1024;
/** A little too much is read to its end, so that the client gets to read the answer; this much is not. */
const drainLimit = 16 * limit;

const parse = express.json({ limit, strict: false });

/** For operations that have a body. Without one they validate an empty object, so that each missing field is named. */
export const readBody: RequestHandler = (req, res, next) => {
  const { headers } = req;
  if (!hasBody(headers)) {
    headers['content-type'] = 'application/json';
    req.body = {};
    next();
    return;
  }
  if (!req.is('application/json') || !isUtf8(headers)) throw new ServiceError(...wrongMediaType);
  if (lengthOf(headers) > drainLimit) {
    res.shouldKeepAlive = false;
    throw new ServiceError(...tooLarge);
  }
  parse(req, res, (fault?: unknown) => {
    if (fault !== undefined || req.body === undefined) {
      // Without a word of the parser the client went away before it was asked to read.
      next(fault ?? new ServiceError(...malformed));
      return;
    }
    // The validator keeps one compiled schema for each Content-Type that it meets: let it meet one.
    headers['content-type'] = 'application/json';
    const problem = findUnstorable(req.body);
    next(problem && invalid(problem));
  });
};

/** For operations that have none: whatever is sent is left unread. */
export const ignoreBody: RequestHandler = (req, _res, next) => {
  delete req.headers['content-type'];
  next();
};

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || lengthOf(headers) > 0;
}

function lengthOf(headers: IncomingHttpHeaders): number {
  return Number(headers['content-length'] ?? 0);
}

function isUtf8({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
