/**
 * Repeats one request over a number of connections, as a program whose only argument is the load in JSON. It writes to
 * bare sockets: an HTTP client would need as much of the machine as the server under measurement.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { percentile } from './statistics.js';

export interface Load {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  connections: number;
  milliseconds: number;
  /** Stops early after this many requests. */
  maxRequests: number;
  /** For https: the authority to trust, and the client's certificate. */
  tls?: { ca: string; cert: string; key: string };
}

export interface LoadResult {
  perSecond: number;
  requests: number;
  /** Responses with a status other than 2xx. */
  failures: number;
  p50: number;
  p99: number;
}

const load = JSON.parse(process.argv[2] ?? '') as Load;
const target = new URL(load.url);
const request = encodeRequest(load);
const latencies: number[] = [];
let sent = 0;
let failures = 0;

function encodeRequest({ method, headers, body = '' }: Load): Buffer {
  const allHeaders = {
    host: target.host,
    ...headers,
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(
    [`${method} ${target.pathname}${target.search} HTTP/1.1`, ...lines, '', body].join('\r\n'),
  );
}

function openSocket(): Socket {
  const address = { port: Number(target.port), host: target.hostname };
  return load.tls ? connectTls({ ...address, ...load.tls }) : connect(address);
}

/** One connection: sends a request, waits for the whole response, and repeats until the load is done. */
function runConnection(isDone: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = openSocket();
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const next = () => {
      if (isDone()) {
        socket.end();
        resolve();
        return;
      }
      sent += 1;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.once(load.tls ? 'secureConnect' : 'connect', next);
    socket.once('error', reject);
    socket.once('close', () => {
      if (!isDone()) reject(new Error('The server closed a connection.'));
    });
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (received.length < responseLength(received)) return;
      latencies.push(performance.now() - sentAt);
      if (received.toString('latin1', 9, 10) !== '2') failures += 1;
      received = Buffer.alloc(0);
      next();
    });
  });
}

/** The length of the whole response, from its Content-Length; Infinity while the headers are incomplete. */
function responseLength(received: Buffer): number {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return Infinity;
  const head = received.toString('latin1', 0, headEnd);
  return headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? NaN);
}

const start = performance.now();
const isDone = () => performance.now() - start > load.milliseconds || sent >= load.maxRequests;
await Promise.all(Array.from({ length: load.connections }, () => runConnection(isDone)));
const elapsed = performance.now() - start;
const result: LoadResult = {
  perSecond: latencies.length / (elapsed / 1000),
  requests: latencies.length,
  failures,
  p50: percentile(latencies, 0.5),
  p99: percentile(latencies, 0.99),
};
console.log(JSON.stringify(result));
