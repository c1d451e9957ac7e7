/** A model provider on loopback whose behaviour a test sets, and which records its requests. */
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The request body, always JSON. */
  body: unknown;
  /** Resolves when the connection of this request is closed or its response complete. */
  closed: Promise<void>;
  /** Whether the client disconnected before the response was complete. */
  wasAborted: () => boolean;
}

export type Behaviour = (res: ServerResponse, request: Received) => void | Promise<void>;

export interface ProviderServer {
  url: string;
  received: Received[];
  /** Waits for this many requests. */
  asked: (times: number, withinMs?: number) => Promise<void>;
  /** Sets the behaviours for the next requests in order; the last one is repeated. */
  behave: (...behaviours: Behaviour[]) => void;
  stop: () => Promise<void>;
}

/** A provider for the tests of the file. */
export function useProvider(): ProviderServer {
  return useFixture(startProvider, (provider) => provider.stop());
}

export async function startProvider(): Promise<ProviderServer> {
  const received: Received[] = [];
  let behaviours: Behaviour[] = [];
  const server = http.createServer((req, res) => {
    void (async () => {
      const text = await readText(req);
      const request: Received = {
        path: req.url ?? '',
        headers: req.headers,
        body: JSON.parse(text),
        closed: once(res, 'close').then(() => undefined),
        wasAborted: () => res.closed && !res.writableFinished,
      };
      received.push(request);
      const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
      await behaviour?.(res, request);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    asked: (times, withinMs) =>
      eventually(() => {
        if (received.length < times) throw new Error(`It got ${received.length} requests.`);
      }, withinMs),
    behave: (...next) => {
      behaviours = next;
      received.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Accepts the request and never answers. */
export const hang: Behaviour = () => undefined;

export function status(code: number, headers: Record<string, string> = {}): Behaviour {
  return refusal(code, { error: { message: 'sk-secret-of-the-provider', type: 'x' } }, headers);
}

/** Answers with this body, JSON or text. */
export function refusal(
  code: number,
  body: object | string,
  headers: Record<string, string> = {},
): Behaviour {
  return (res) => {
    const isText = typeof body === 'string';
    res.writeHead(code, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    res.end(isText ? body : JSON.stringify(body));
  };
}

/** Closes the connection without a response. */
export const refuse: Behaviour = (res) => {
  res.destroy();
};

/** The response of a captive portal or a wrong address. */
export const html: Behaviour = (res) => {
  res.writeHead(200, { 'content-type': 'text/html' });
  res.end('<html><body>Welcome to nginx!</body></html>');
};
