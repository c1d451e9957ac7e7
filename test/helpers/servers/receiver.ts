/** A webhook receiver for tests: real HTTP or HTTPS on loopback, which records requests and answers as configured. */
import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { eventually } from '../eventually.js';

export interface Receipt {
  headers: Record<string, string>;
  body: Buffer;
}

export interface Receiver {
  url: string;
  receipts: Receipt[];
  /** The number of connections made to it, with or without a request. */
  connections: () => number;
  /** Waits for this many receipts. */
  got: (count: number, withinMs?: number) => Promise<Receipt[]>;
  /** Idempotent. */
  close: () => Promise<void>;
}

export type Behaviour = (
  response: ServerResponse,
  request: IncomingMessage,
  receipt: Receipt,
) => void;

export const accept: Behaviour = (response) => {
  response.writeHead(204).end();
};

export function answer(status: number, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, headers).end();
  };
}

/** The first behaviour for the first request, and so on; the last one for all others. */
export function inSequence(...behaviours: Behaviour[]): Behaviour {
  let requests = 0;
  return (response, request, receipt) => {
    const behaviour = behaviours[Math.min(requests, behaviours.length - 1)];
    requests += 1;
    behaviour?.(response, request, receipt);
  };
}

export async function startReceiver(
  behave: Behaviour = accept,
  tls?: { cert: string; key: string },
): Promise<Receiver> {
  const receipts: Receipt[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const receipt = {
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: Buffer.concat(chunks),
      };
      receipts.push(receipt);
      behave(response, request, receipt);
    });
  };
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  server.on('clientError', (_error, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    receipts,
    connections: () => connections,
    got: (count, withinMs) =>
      eventually(() => {
        if (receipts.length < count) throw new Error(`${receipts.length} receipts, not ${count}`);
        return receipts;
      }, withinMs),
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
