/** Sends raw bytes to a server, for requests that no HTTP client would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { useFixture } from '../service/fixture.js';

export interface RawAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends the bytes and reads until the server closes the connection. */
export async function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const socket = await openSocket(url);
  socket.write(bytes);
  return untilClosed(socket);
}

/** All data until the connection is closed or reset. */
export function untilClosed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
}

/** A request as text, with `Connection: close`. */
export function requestText(
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const all = { Host: 'localhost', Connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/** The tenant's Authorization header, for the tests of the file. */
export function useBearer(tenant: { key: string }): { Authorization: string } {
  return useFixture(() => Promise.resolve({ Authorization: `Bearer ${tenant.key}` }));
}

/** Parses the first response in the received data. */
export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}
