/** Reads a JSON body, and rejects values that cannot be stored or that are nested too deeply, before validation. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { invalid } from '../../domain/errors.js';
import { countValues, maxValues } from './json-size.js';
import { findUnstorable } from './storable.js';
import { malformedRequest, payloadTooLarge, unsupportedMediaType } from './request-errors.js';

const limit = 1024 * 1024;
/** Up to this size a body that is too large is still read, so that the client can receive the response. */
const drainLimit = 16 * limit;

/** Up to this size all problems of a body are worth reporting; of a larger one the first has to do. */
const smallBytes = 16 * 1024;
const smallValues = 500;

const parse = express.json({
  limit,
  strict: false,
  verify: (req: StepMessage, _res, text) => {
    const values = countValues(text);
    if (values > maxValues) {
      throw invalid({ field: 'body', error: `must not hold more than ${maxValues} values` });
    }
    req.hasLargeBody = text.length > smallBytes || values > smallValues;
  },
});

type StepMessage = IncomingMessage & Pick<Request, 'hasLargeBody'>;

/** For operations with a body. A missing body is validated as an empty object, so that each missing field is named. */
export const readBody: RequestHandler = (req, res, next) => {
  const { headers } = req;
  if (!hasBody(headers)) {
    headers['content-type'] = 'application/json';
    req.body = {};
    next();
    return;
  }
  if (!req.is('application/json') || !isUtf8(headers)) throw unsupportedMediaType();
  if (lengthOf(headers) > drainLimit) {
    res.shouldKeepAlive = false;
    throw payloadTooLarge();
  }
  parse(req, res, (error?: unknown) => {
    if (error !== undefined || req.body === undefined) {
      // Neither an error nor a body: the client disconnected before the parser started.
      next(error ?? malformedRequest());
      return;
    }
    // The validator caches a compiled schema per distinct Content-Type, parameters included: allow one only.
    headers['content-type'] = 'application/json';
    const problem = findUnstorable(req.body);
    next(problem && invalid(problem));
  });
};

/** For operations without a body: whatever is sent is not read. */
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
