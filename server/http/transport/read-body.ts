/** Reads a JSON body, and rejects values that cannot be stored or are nested too deeply, before validation. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import express, { type RequestHandler } from 'express';
import { invalid, unavailable } from '../../contract/errors.js';
import type { BytesInFlight } from '../../lib/async/bytes-in-flight.js';
import { errorCode } from '../../lib/errors/error-code.js';
import { countValues, maxValues } from './json-size.js';
import { callerOf, type Step, type StepRequest } from './request.js';
import { findUnstorable } from './storable.js';
import {
  invalidCompression,
  invalidJson,
  invalidUtf8,
  malformedRequest,
  payloadTooLarge,
  unsupportedMediaType,
} from './request-errors.js';

/** This many bytes beyond the limit are still read, so that the client can receive the response. */
const drainedBytes = 15 * 1024 * 1024;

/** All problems of a body up to this size are reported, but only the first problem of a larger one. */
const smallBytes = 16 * 1024;
const smallValues = 500;

/**
 * For operations with a body of up to `limit` bytes. A missing body is validated as an empty object, so that the error names each missing
 * field. Bodies count as bytes in flight while they are read.
 */
export function readBody(bytesInFlight: BytesInFlight, limit: number): Step {
  const readRaw = express.raw({ limit, type: () => true });
  return async (req, res, next) => {
    const { headers } = req;
    if (!hasBody(headers)) {
      headers['content-type'] = 'application/json';
      req.body = {};
      next();
      return;
    }
    if (!isJson(req)) throw unsupportedMediaType();
    if (lengthOf(headers) > limit + drainedBytes) {
      res.shouldKeepAlive = false;
      throw payloadTooLarge(limit);
    }
    const memory = bytesInFlight.open(callerOf(req).accountId);
    if (!memory.grow(bytesToRead(headers, limit))) throw unavailable(undefined);
    try {
      await parse(req, await readBytes(readRaw, req, res));
    } finally {
      memory.release();
    }
    next();
  };
}

function readBytes(
  readRaw: RequestHandler,
  req: StepRequest,
  res: Parameters<Step>[1],
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readRaw(req, res, (error?: unknown) => {
      // Neither an error nor a body: the client disconnected before reading started.
      if (error === undefined && Buffer.isBuffer(req.body)) resolve(req.body);
      else reject(toReadError(error));
    });
  });
}

/** Codes of zlib, Brotli and Zstandard. */
const decompressionCodes = /^(Z_|ERR__|ZSTD_)/;

function toReadError(error: unknown): Error {
  if (decompressionCodes.test(errorCode(error) ?? '')) return invalidCompression();
  return error instanceof Error ? error : malformedRequest();
}

let lastTurn = Promise.resolve();

/** Gives each iteration of the event loop to one large body, so that other requests do not wait for all that arrived together. */
function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextIteration());
  return lastTurn;
}

/** Handles large bodies in steps, between which it is the turn of others. */
async function parse(req: StepRequest, bytes: Buffer): Promise<void> {
  const pause = () => (bytes.length > smallBytes ? nextTurn() : undefined);
  await pause();
  // Decoding would silently replace invalid bytes.
  if (!isUtf8(bytes)) throw invalidUtf8();
  const values = countValues(bytes);
  if (values > maxValues) {
    throw invalid({ field: 'body', error: `must not hold more than ${maxValues} values` });
  }
  await pause();
  req.hasLargeBody = bytes.length > smallBytes || values > smallValues;
  const text = bytes.toString();
  await pause();
  req.body = text === '' ? {} : parseJson(text);
  await pause();
  // The validator caches a compiled schema per distinct Content-Type, parameters included: allow one only.
  req.headers['content-type'] = 'application/json';
  const problem = findUnstorable(req.body);
  if (problem) throw invalid(problem);
  await pause();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch {
    throw invalidJson();
  }
}

const byteOrderMark = '\uFEFF';

/** For operations without a body. */
export const ignoreBody: RequestHandler = (req, _res, next) => {
  delete req.headers['content-type'];
  next();
};

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || lengthOf(headers) > 0;
}

/** At most `limit`, which is also the assumption for bodies of unknown length. */
function bytesToRead(headers: IncomingHttpHeaders, limit: number): number {
  const isKnown =
    headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined;
  return isKnown ? Math.min(limit, lengthOf(headers)) : limit;
}

function lengthOf(headers: IncomingHttpHeaders): number {
  return Number(headers['content-length'] ?? 0);
}

/** Most clients send the plain type, which needs no parsing. */
function isJson(req: StepRequest): boolean {
  const { headers } = req;
  return (
    headers['content-type'] === 'application/json' ||
    (Boolean(req.is('application/json')) && namesUtf8(headers))
  );
}

function namesUtf8({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
