/** `/metrics` for Prometheus, on the service's port or on a separate one. */
import { createHash, timingSafeEqual } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Router } from 'express';
import { ServiceError } from '../contract/errors.js';
import { errorResponse } from '../contract/error-response.js';
import { toServiceError } from './transport/to-service-error.js';
import { sendJson } from './transport/respond.js';

/** Reads the metrics of all processes, in the Prometheus text format. */
export type Scrape = () => Promise<string>;

export interface MetricsEndpoint {
  scrape: Scrape;
  /** Undefined if no token is required. */
  token: string | undefined;
}

export const metricsPath = '/metrics';
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export function mountMetrics(router: Router, endpoint: MetricsEndpoint): void {
  const authorize = createAuthorization(endpoint.token);
  router.get(metricsPath, async (req, res) => {
    authorize(req);
    await sendMetrics(req, res, endpoint);
  });
}

/** A server for `/metrics` only. */
export function createMetricsServer(endpoint: MetricsEndpoint): http.Server {
  const authorize = createAuthorization(endpoint.token);
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') throw nothingHere();
    if (req.url?.split('?')[0] !== metricsPath) throw nothingHere();
    authorize(req);
    await sendMetrics(req, res, endpoint);
  };
  const options = { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, requestTimeout: 10_000 };
  const server = http.createServer(options, (req, res) => {
    answer(req, res).catch((error: unknown) => {
      const { status, body, headers } = errorResponse(toServiceError(error));
      sendJson(res, status, body, headers);
    });
  });
  server.maxConnections = 100;
  // Node would drop what follows the thousandth header. `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0;
  return server;
}

function nothingHere(): ServiceError {
  return new ServiceError('not_found', `There is nothing here but ${metricsPath}.`);
}

async function sendMetrics(
  req: IncomingMessage,
  res: ServerResponse,
  { scrape }: MetricsEndpoint,
): Promise<void> {
  const text = await scrape().catch((cause: unknown) => {
    throw new ServiceError('unavailable', 'The metrics cannot be read. Retry in 5 seconds.', {
      retryAfter: 5,
      cause,
    });
  });
  res.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(req.method === 'HEAD' ? undefined : text);
}

/** Compares digests, because a comparison in constant time needs inputs of equal length. */
function createAuthorization(token: string | undefined): (req: IncomingMessage) => void {
  if (token === undefined) return () => undefined;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return ({ headers: { authorization = '' } }) => {
    const [, presented = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
    if (timingSafeEqual(digest(presented), expected)) return;
    throw new ServiceError(
      'unauthorized',
      'Metrics need the token in METRICS_TOKEN as a bearer token.',
    );
  };
}
