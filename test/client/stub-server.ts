/** A server that sends the given responses, valid or not, and records the requests. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type AgentHosting, agentHosting, type ClientOptions } from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';

export type Responder = (response: ServerResponse) => void;

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  socket: Socket;
}

export interface StubServer {
  readonly url: string;
  received: ReceivedRequest[];
  /** Clears the recorded requests, and sends these responses to the next ones, in order; the last one is repeated. */
  respondWith: (...responders: Responder[]) => void;
  /** Waits until that many requests have arrived. */
  waitForRequests: (count: number) => Promise<void>;
  /** Waits until the client has closed the connection of the first request. */
  waitForDisconnect: () => Promise<void>;
  /** A client of this server. */
  client: (options?: ClientOptions) => AgentHosting;
}

/** A server for the tests of a file. */
export function useStubServer(): StubServer {
  let server: RunningStubServer;
  beforeAll(async () => {
    server = await startStubServer();
  });
  afterAll(() => server.stop());
  return {
    get url() {
      return server.url;
    },
    get received() {
      return server.received;
    },
    respondWith: (...responders) => {
      server.respondWith(...responders);
    },
    waitForRequests: (count) => server.waitForRequests(count),
    waitForDisconnect: () => server.waitForDisconnect(),
    client: (options) => server.client(options),
  };
}

export type RunningStubServer = StubServer & Pick<HttpServer, 'stop'>;

export async function startStubServer(): Promise<RunningStubServer> {
  const received: ReceivedRequest[] = [];
  let pending: Responder[] = [];
  const { url, stop } = await startHttpServer((request, response) => {
    response.on('error', () => undefined);
    void text(request).then((body) => {
      const { method = '', url: path = '', headers, socket } = request;
      received.push({ method, path, headers, body, socket });
      const respond = pending.length > 1 ? pending.shift() : pending[0];
      respond?.(response);
    });
  });
  return {
    url,
    received,
    respondWith: (...responders) => {
      received.length = 0;
      pending = responders;
    },
    waitForRequests: (count) =>
      eventually(() => {
        expect(received.length).toBeGreaterThanOrEqual(count);
      }),
    waitForDisconnect: () =>
      eventually(() => {
        expect(received[0]?.socket.destroyed).toBe(true);
      }),
    client: (options) => agentHosting({ apiKey: 'key', baseUrl: url, ...options }),
    stop,
  };
}

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Responder {
  return rawResponse(status, JSON.stringify(body), {
    'content-type': 'application/json',
    ...headers,
  });
}

export function rawResponse(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Responder {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

export const dataResponse = (data: object = {}) => jsonResponse(200, { success: true, data });

/** An error response with a Retry-After of 0, so that tests need not wait. */
export function errorResponse(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Responder {
  const body = { success: false, error: { code, message: `It is ${code}.` } };
  return jsonResponse(status, body, { ...defaultErrorHeaders, ...headers });
}

/** An error response that says that the request must not be repeated. */
export function finalErrorResponse(status: number, code: string): Responder {
  const error = { code, message: `It is ${code}.`, retryable: false };
  return jsonResponse(status, { success: false, error }, defaultErrorHeaders);
}

const defaultErrorHeaders = { 'retry-after': '0', 'x-request-id': 'req_1' };

export const disconnect: Responder = (response) => response.socket?.destroy();
export const hang: Responder = () => undefined;

/** Closes the connection in the middle of the body. */
export const disconnectInBody: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"success":true,', () => response.socket?.destroy());
};

export const hangInBody: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"success":true,');
};

/** Sends only a part of the headers. */
export const hangInHeaders: Responder = (response) => {
  response.socket?.write('HTTP/1.1 200 OK\r\nContent-Type: appl');
};

/** Sends an endless body, byte by byte. */
export const drip: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 10);
  response.once('close', () => {
    clearInterval(timer);
  });
};

/** An event stream, written chunk by chunk; then it ends, is disconnected, or stays open. */
export function eventStream(
  chunks: (string | Uint8Array)[],
  then: 'end' | 'disconnect' | 'hang',
): Responder {
  return (response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-request-id': 'req_1',
    });
    const write = async () => {
      for (const chunk of chunks) {
        await new Promise((resolve) => response.write(chunk, resolve));
        // Lets the chunks arrive one by one.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (then === 'end') response.end();
      if (then === 'disconnect') response.socket?.destroy();
    };
    void write();
  };
}

export function serverSentEvent(name: string, value: unknown, id?: string): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
