/** Responses that cost far more than their bytes: every kind of outgoing request has the same limits. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { fetchJson } from '../../server/access/tokens/fetch-json.js';
import { createGuardedFetch } from '../../server/lib/net/guarded-fetch.js';
import { guardedRequest } from '../../server/lib/net/guarded-request.js';
import { ResponseTooLarge } from '../../server/lib/net/limit-stream.js';
import { maxMcp } from '../../server/models/limits.js';
import { embeddingFetch, modelFetch } from '../../server/models/providers/limited-fetch.js';
import { createAuthority } from '../helpers/crypto/certificates.js';

const authority = createAuthority('tests');
const certificate = authority.issue({ name: 'server', hosts: ['127.0.0.1'] });
const allowPrivate = true;
const signal = () => AbortSignal.timeout(60_000);

const running: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await Promise.all(running.splice(0).map((server) => once(server.close(), 'close')));
});

/** A server that answers the first bytes of a connection as told, over TLS if its URL shall be https. */
async function respondWith(
  respond: (socket: Socket) => void,
  { isSecure = false }: { isSecure?: boolean } = {},
): Promise<URL> {
  const listener = (socket: Socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .once('data', () => {
        respond(socket);
      });
  };
  const server = isSecure ? createTlsServer(certificate, listener) : createServer(listener);
  return listening(server, isSecure);
}

async function listening(server: Server, isSecure: boolean): Promise<URL> {
  running.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return new URL(`${isSecure ? 'https' : 'http'}://127.0.0.1:${port}/`);
}

/** Writes the piece again and again, as fast as it is read. Resolves when the connection is closed. */
function writeForever(socket: Socket, piece: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  write();
}

const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const answer = `${ok}content-length: 2\r\n\r\n{}`;

/** Each resolves to the text of the response. */
const requests: Record<string, (url: URL) => Promise<string>> = {
  'webhooks, agents and tools': async (url) => {
    const { body } = await guardedRequest(url, { allowPrivate, signal: signal(), maxBytes: 1_000 });
    return (await buffer(body)).toString();
  },
  'MCP servers': async (url) => {
    const fetch = createGuardedFetch({ allowPrivate, limits: maxMcp.response });
    return (await fetch(url, { signal: signal() })).text();
  },
  'OAuth providers': async (url) => JSON.stringify((await fetchJson(url, { allowPrivate })).body),
  'model providers': async (url) => (await modelFetch(url, { signal: signal() })).text(),
  'embedding models': async (url) => (await embeddingFetch(url, { signal: signal() })).text(),
};

describe.each(Object.entries(requests))('A request to %s', (_name, request) => {
  test('survives 16 informational responses', async () => {
    const url = await respondWith((socket) => socket.write(early.repeat(16) + answer));
    expect(await request(url)).toBe('{}');
  });

  test('ends at the 17th informational response, instead of waiting for an answer', async () => {
    const url = await respondWith((socket) => socket.write(early.repeat(17) + answer));
    await expect(request(url)).rejects.toThrow(ResponseTooLarge);
  });

  test('ends when the framing of its chunks is far larger than what they contain', async () => {
    // One byte per chunk, and the rest is an extension that nothing reads.
    const chunk = `1;${'x'.repeat(1_000)}\r\n1\r\n`;
    const url = await respondWith((socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`);
      writeForever(socket, chunk.repeat(16));
    });
    await expect(request(url)).rejects.toThrow(ResponseTooLarge);
  });
});

describe('Over TLS', () => {
  const secure = (url: URL, maxBytes: number) =>
    guardedRequest(url, { allowPrivate, signal: signal(), ca: authority.cert, maxBytes });

  test('informational responses are counted', async () => {
    const url = await respondWith((socket) => socket.write(early.repeat(17)), { isSecure: true });
    await expect(secure(url, 0)).rejects.toThrow(ResponseTooLarge);
  });

  test('the size of the records counts, not only of their content', async () => {
    // Writes that wait for each other have a record each, of more than 20 bytes.
    const url = await respondWith(
      (socket) => {
        socket.setNoDelay();
        const writeByte = () => {
          if (!socket.destroyed) socket.write(' ', writeByte);
        };
        socket.write(`${ok}content-length: 100000\r\n\r\n`, writeByte);
      },
      { isSecure: true },
    );
    const { body } = await secure(url, 50_000);
    await expect(buffer(body)).rejects.toThrow(ResponseTooLarge);
  });

  test('and without it, bodies of a megabyte arrive unchanged in both directions', async () => {
    const sent = randomBytes(1_000_000);
    const echo: http.RequestListener = (incoming, response) => void incoming.pipe(response);
    for (const isSecure of [true, false]) {
      const server = isSecure ? https.createServer(certificate, echo) : http.createServer(echo);
      const url = await listening(server, isSecure);
      const { body } = await guardedRequest(url, {
        allowPrivate,
        method: 'POST',
        body: sent,
        signal: signal(),
        ca: authority.cert,
        maxBytes: sent.length,
      });
      expect(sent.equals(await buffer(body))).toBe(true);
    }
  });
});

test('requests to a model provider share a connection, and each has its own limits', async () => {
  let connections = 0;
  const body = ' '.repeat(1_000_000);
  const server = http.createServer((_, response) => response.end(body));
  server.on('connection', () => (connections += 1));
  const url = await listening(server, false);
  // Together more than one response may have.
  for (let sent = 0; sent < 40; sent += 1) {
    const response = await embeddingFetch(url, { signal: signal() });
    expect((await response.text()).length).toBe(body.length);
  }
  expect(connections).toBe(1);
});

test('an aborted request to a model provider fails with the reason, before and after the status', async () => {
  for (const start of ['', `${ok}content-length: 2\r\n\r\n{`]) {
    const controller = new AbortController();
    const reason = new Error('time is over');
    const url = await respondWith((socket) => {
      socket.write(start);
      setImmediate(() => {
        controller.abort(reason);
      });
    });
    const request = modelFetch(url, { signal: controller.signal });
    await expect(request.then((response) => response.text())).rejects.toBe(reason);
  }
});

test('a request may be aborted at any moment of its response, whose end frees the connection', async () => {
  const body = 'data: x\n\n'.repeat(3_000);
  const server = http.createServer((_, response) => response.end(body));
  const url = await listening(server, false);
  for (let pieces = 0; pieces < 12; pieces += 1) {
    const controller = new AbortController();
    const response = await modelFetch(url, { signal: controller.signal });
    const reader = response.body?.getReader();
    for (let read = 0; read < pieces; read += 1) await reader?.read();
    controller.abort();
    // The process would end with an uncaught error if nobody listened to the connection.
    expect(await (await modelFetch(url)).text()).toBe(body);
  }
});
