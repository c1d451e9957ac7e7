/**
 * Sends the same request over and over, from a process of its own. Its one argument says what, and for how long. It
 * writes to bare sockets: an HTTP client would need as much of the machine as the server that is measured.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface Load {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  connections: number;
  milliseconds: number;
  /** It stops before the time is over once it has sent so many. */
  maxRequests: number;
  /** For https: whom to trust, and the client's own certificate. */
  tls?: { ca: string; cert: string; key: string };
}

export interface LoadResult {
  perSecond: number;
  requests: number;
  /** Answers with another status than 2xx. */
  failures: number;
  p50: number;
  p99: number;
}

const load = JSON.parse(process.argv[2] ?? '') as Load;
const target = new URL(load.url);
const request = requestBytes(load);
const latencies: number[] = [];
let sent = 0;
let failures = 0;

function requestBytes({ method, headers, body = '' }: Load): Buffer {
  const all = {
    host: target.host,
    ...headers,
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(
    [`${method} ${target.pathname}${target.search} HTTP/1.1`, ...lines, '', body].join('\r\n'),
  );
}

function open(): Socket {
  const place = { port: Number(target.port), host: target.hostname };
  return load.tls ? connectSecurely({ ...place, ...load.tls }) : connect(place);
}

/** One connection: a request, its whole answer, the next request, until the time is over. */
function keepSending(isOver: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open();
    let received: Buffer = Buffer.alloc(0);
    let begun = 0;
    const next = () => {
      if (isOver()) {
        socket.end();
        resolve();
        return;
      }
      sent += 1;
      begun = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.once(load.tls ? 'secureConnect' : 'connect', next);
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (received.length < lengthOf(received)) return;
      latencies.push(performance.now() - begun);
      if (received.toString('latin1', 9, 10) !== '2') failures += 1;
      received = Buffer.alloc(0);
      next();
    });
    endsEarly(socket, isOver, reject);
  });
}

function endsEarly(socket: Socket, isOver: () => boolean, reject: (error: Error) => void): void {
  socket.once('close', () => {
    if (!isOver()) reject(new Error('The server closed a connection.'));
  });
}

/** How long the whole answer is, as its head says; endless while the head is not there. */
function lengthOf(answer: Buffer): number {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return Infinity;
  const head = answer.toString('latin1', 0, headEnd);
  return headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? NaN);
}

const start = performance.now();
const isOver = () => performance.now() - start > load.milliseconds || sent >= load.maxRequests;
await Promise.all(Array.from({ length: load.connections }, () => keepSending(isOver)));
const elapsed = performance.now() - start;
latencies.sort((one, other) => one - other);
const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? NaN;
const result: LoadResult = {
  perSecond: latencies.length / (elapsed / 1000),
  requests: latencies.length,
  failures,
  p50: percentile(0.5),
  p99: percentile(0.99),
};
console.log(JSON.stringify(result));
