/** The HTTP server below the application: limits and timeouts for slow or broken clients, and graceful shutdown. */
import http, { type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Express } from 'express';
import { operations } from '../../../generated/operations.js';
import { ServiceError } from '../../contract/errors.js';
import { newId } from '../../lib/data/typeid.js';
import { errorBody, statusOf } from '../../contract/error-response.js';
import { sendJson } from './respond.js';
import { tlsServerOptions } from './tls.js';

export interface HttpServer {
  server: http.Server;
  /** The same server, if it uses TLS. */
  secure: https.Server | undefined;
  /** Asks clients to open new connections for further requests, while all requests are still served. */
  announceClose: () => void;
  /** Rejects new requests, waits for those in flight, and closes all connections after the grace period. */
  drain: (gracePeriodMs: number) => Promise<void>;
}

const maxHeaderSize = 16 * 1024;

/** Uses TLS if there is a certificate, plain HTTP otherwise. */
export function createServer(app: Express, tls?: SecureContextOptions): HttpServer {
  const options: http.ServerOptions = {
    ...installMessageClasses(app),
    maxHeaderSize,
    headersTimeout: 15_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5_000,
    // Node's own error response has no body.
    requireHostHeader: false,
  };
  const secure = tls && https.createServer({ ...options, ...tlsServerOptions, ...tls });
  const server: http.Server = secure ?? http.createServer(options);
  server.maxRequestsPerSocket = 0;
  // Node would drop what follows the thousandth header, which may be what a proxy adds. `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0;
  const inFlight = new Set<ServerResponse>();
  let closing = false;
  let draining = false;

  const handleRequest: http.RequestListener = (req, res) => {
    if (draining) {
      rejectWhileDraining(res);
      return;
    }
    if (closing) res.shouldKeepAlive = false;
    inFlight.add(res);
    res.once('close', () => {
      inFlight.delete(res);
      if (draining) server.closeIdleConnections();
    });
    app(req, res);
  };
  server.on('request', handleRequest);
  // Ignores unknown Expect headers, as the standard allows.
  server.on('checkExpectation', handleRequest);
  server.on('connect', (_req, socket) => {
    sendRaw(socket, methodNotAllowed('CONNECT'));
  });
  server.on('clientError', (error: ClientError, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const response = [...inFlight].find((res) => res.socket === socket);
    if (response?.req.complete) {
      // The invalid bytes follow a complete request: finish its response instead of writing an error into the middle of it.
      response.once('close', () => socket.end(() => socket.destroy()));
    } else if (response?.headersSent) {
      socket.destroy();
    } else {
      sendRaw(socket, toServiceError(error));
    }
  });

  const announceClose = () => {
    closing = true;
    for (const response of inFlight) response.shouldKeepAlive = false;
  };

  return {
    server,
    secure,
    announceClose,
    drain: async (gracePeriodMs) => {
      draining = true;
      announceClose();
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      const forceTimer = setTimeout(() => {
        server.closeAllConnections();
      }, gracePeriodMs);
      await closed;
      clearTimeout(forceTimer);
    },
  };
}

/** An error of Node's HTTP parser. */
interface ClientError extends NodeJS.ErrnoException {
  /** The bytes that the parser rejected. */
  rawPacket?: Buffer;
}

/** Sends an error to a request that never reaches the application, and closes the connection. */
function sendRaw(socket: Duplex, error: ServiceError): void {
  const body = JSON.stringify(errorBody(error));
  const head = [
    `HTTP/1.1 ${statusOf(error)} ${http.STATUS_CODES[statusOf(error)] ?? ''}`,
    `X-Request-Id: ${newId('req')}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...(error.code === 'method_not_allowed' ? [`Allow: ${allMethods}`] : []),
  ];
  socket.end([...head, '', body].join('\r\n'), () => {
    // A client that never closes its side would keep the connection open forever.
    socket.destroy();
  });
}

/** For requests on keep-alive connections. The connection is closed, so that the retry reaches another instance. */
function rejectWhileDraining(res: ServerResponse): void {
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

/** For errors that precede routing, when the path is not known yet. */
const allMethods = [
  ...new Set(Object.values(operations).map(({ method }) => method.toUpperCase())),
  'HEAD',
  'OPTIONS',
].join(', ');

function methodNotAllowed(method: string): ServiceError {
  return new ServiceError(
    'method_not_allowed',
    `This service does not support ${method}. Its methods are ${allMethods}, in upper case.`,
  );
}

function toServiceError({ code, rawPacket }: ClientError): ServiceError {
  // The parser knows only registered methods. A request line with another method is otherwise valid.
  const method = /^([A-Za-z-]{1,32}) [/*]/.exec(rawPacket?.toString('latin1', 0, 64) ?? '')?.[1];
  if (code === 'HPE_INVALID_METHOD' && method !== undefined) return methodNotAllowed(method);
  return new ServiceError('invalid_request', describeClientError(code));
}

function describeClientError(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return `The request's headers are larger than ${maxHeaderSize / 1024} KiB.`;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request did not arrive in time.';
    default:
      return 'This is not a valid HTTP request.';
  }
}

interface MessageClasses {
  IncomingMessage: typeof http.IncomingMessage;
  ServerResponse: typeof http.ServerResponse;
}

/**
 * Request and response classes whose instances already have the prototypes of an Express application. Express sets
 * them with `Object.setPrototypeOf` on every request, which halves its throughput; on these instances it is a no-op.
 */
function installMessageClasses(app: Express): MessageClasses {
  class Request extends http.IncomingMessage {}
  class Response<Message extends http.IncomingMessage> extends http.ServerResponse<Message> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}
