/** The HTTP server under the application: limits and time-outs against slow or broken clients, and an orderly end. */
import http, { type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Express } from 'express';
import { ServiceError } from '../../domain/errors.js';
import { newId } from '../../lib/typeid.js';
import { errorBody, statusOf } from './error-response.js';
import { adoptMessageClasses } from './message-classes.js';
import { sendJson } from './respond.js';
import { listeningOptions } from './tls.js';

export interface HttpServer {
  server: http.Server;
  /** The same, if it listens with https. */
  secure: https.Server | undefined;
  /** Takes no new work, waits for what is in flight, and cuts what takes longer than that. */
  drain: (gracePeriodMs: number) => Promise<void>;
}

const maxHeaderSize = 16 * 1024;

/** With a certificate it listens with https, else with plain http. */
export function createServer(app: Express, tls?: SecureContextOptions): HttpServer {
  const options: http.ServerOptions = {
    ...adoptMessageClasses(app),
    maxHeaderSize,
    headersTimeout: 15_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5_000,
    // Node's own refusal has no body.
    requireHostHeader: false,
  };
  const secure = tls && https.createServer({ ...options, ...listeningOptions, ...tls });
  const server: http.Server = secure ?? http.createServer(options);
  server.maxRequestsPerSocket = 0;
  const answers = new Set<ServerResponse>();
  let draining = false;

  const take: http.RequestListener = (req, res) => {
    if (draining) {
      refuseWhileStopping(res);
      return;
    }
    answers.add(res);
    res.once('close', () => {
      answers.delete(res);
      if (draining) server.closeIdleConnections();
    });
    app(req, res);
  };
  server.on('request', take);
  // An expectation that is not known is ignored, as the standard allows.
  server.on('checkExpectation', take);
  server.on('connect', (_req, socket) => {
    sendBare(socket, unreadable('This server is no proxy.'));
  });
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || fault.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const answer = [...answers].find((res) => res.socket === socket);
    if (answer?.req.complete) {
      // What is broken comes after a whole request: that one gets its answer, and nothing in the middle of it.
      answer.once('close', () => socket.end(() => socket.destroy()));
    } else if (answer?.headersSent) {
      socket.destroy();
    } else {
      sendBare(socket, unreadable(explain(fault.code)));
    }
  });

  return {
    server,
    secure,
    drain: async (gracePeriodMs) => {
      draining = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      for (const answer of answers) answer.shouldKeepAlive = false;
      const forceTimer = setTimeout(() => {
        server.closeAllConnections();
      }, gracePeriodMs);
      await closed;
      clearTimeout(forceTimer);
    },
  };
}

/** Answers what never reaches the application, and ends the connection. */
function sendBare(socket: Duplex, error: ServiceError): void {
  const body = JSON.stringify(errorBody(error));
  const head = [
    `HTTP/1.1 ${statusOf(error)} ${http.STATUS_CODES[statusOf(error)] ?? ''}`,
    `X-Request-Id: ${newId('req')}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end([...head, '', body].join('\r\n'), () => {
    // A client that never closes its side would keep the connection for ever.
    socket.destroy();
  });
}

/** A connection that was open before may still bring a request; the next one finds another instance. */
function refuseWhileStopping(res: ServerResponse): void {
  const retryAfter = 2;
  const error = new ServiceError(
    'unavailable',
    `The service is stopping. Retry in ${retryAfter} seconds.`,
    { retryAfter },
  );
  res.shouldKeepAlive = false;
  sendJson(res, statusOf(error), errorBody(error), {
    'X-Request-Id': newId('req'),
    'Retry-After': retryAfter,
  });
}

function unreadable(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

function explain(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `The request's headers are larger than ${maxHeaderSize / 1024} KiB.`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request did not arrive in time.';
    default:
      return 'This is not a valid HTTP request.';
  }
}
