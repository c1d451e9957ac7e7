/** A server that answers as it is told to, however badly, and remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AgentHosting, agentHosting, type ClientOptions } from '../../client/src/index.js';

export type Answer = (response: ServerResponse) => void;

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The connection that it came over. */
  socket: Socket;
}

export interface HostileServer {
  url: string;
  received: Received[];
  /** Answers the next requests so, one after the other; the last answer is repeated. */
  will: (...answers: Answer[]) => void;
  client: (options?: ClientOptions) => AgentHosting;
  stop: () => Promise<void>;
}

export async function startHostileServer(): Promise<HostileServer> {
  const received: Received[] = [];
  let answers: Answer[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void text(request).then((body) => {
      const { method = '', url: path = '', headers, socket } = request;
      received.push({ method, path, headers, body, socket });
      const next = answers.length > 1 ? answers.shift() : answers[0];
      next?.(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    received,
    will: (...next) => {
      received.length = 0;
      answers = next;
    },
    client: (options) => agentHosting({ apiKey: 'key', baseUrl: url, ...options }),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return raw(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

export function raw(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

export const data = (value: object = {}) => json(200, { success: true, data: value });

/** An error of the service that asks for no pause, so that tests need none. */
export function failing(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Answer {
  const body = { success: false, error: { code, message: `It is ${code}.` } };
  return json(status, body, { 'retry-after': '0', 'x-request-id': 'req_1', ...headers });
}

export const cut: Answer = (response) => response.socket?.destroy();
export const hang: Answer = () => undefined;

/** Breaks off in the middle of the body. */
export const cutBody: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"success":true,', () => response.socket?.destroy());
};

export const hangInBody: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"success":true,');
};

/** Begins its headers, and never ends them. */
export const hangInHeaders: Answer = (response) => {
  response.socket?.write('HTTP/1.1 200 OK\r\nContent-Type: appl');
};

/** Sends a little of its body again and again, and never all of it. */
export const drip: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 10);
  response.once('close', () => {
    clearInterval(timer);
  });
};

/** Server-sent events, written piece by piece as they are given, and then that. */
export function events(pieces: (string | Uint8Array)[], then: 'end' | 'cut' | 'hang'): Answer {
  return (response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-request-id': 'req_1',
    });
    const write = async () => {
      for (const piece of pieces) {
        await new Promise((resolve) => response.write(piece, resolve));
        // So that pieces arrive one by one.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (then === 'end') response.end();
      if (then === 'cut') response.socket?.destroy();
    };
    void write();
  };
}

export function event(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
