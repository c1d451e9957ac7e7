/**
 * Repeats one request over a number of connections. It writes to bare sockets: an HTTP client would need as much of the
 * machine as the server under measurement.
 */
import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createPace, type Pace, type PaceOptions } from './pace.js';
import { type RequestOptions, requestsOf } from './request.js';
import { percentile } from './statistics.js';

export interface Load extends RequestOptions, PaceOptions {
  connections: number;
  /** What a response must have; by default any 2xx. */
  status?: number;
  /** How many responses may have another status, such as the few that a rate limit lets through. */
  maxFailures?: number;
  /** After so many requests a connection is replaced by one from another address of the loopback network. */
  requestsPerAddress?: number;
  /** For https: the authority to trust, and the client's certificate. */
  tls?: { ca: string; cert: string; key: string };
}

export interface LoadResult {
  perSecond: number;
  requests: number;
  /** Responses with another status than expected. */
  failures: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
}

const responseTimeoutMs = 60_000;

/** Of one load, over all connections. */
interface Progress {
  load: Load;
  pace: Pace;
  latencies: number[];
  failures: number;
  /** Counts the addresses that it was sent from. */
  addresses: number;
}

export async function executeLoad(load: Load): Promise<LoadResult> {
  const pace = createPace(load);
  // Most likely not those of another load.
  const addresses = randomInt(200 ** 3);
  const progress: Progress = { load, pace, latencies: [], failures: 0, addresses };
  const start = performance.now();
  const work = Array.from({ length: load.connections }, () => connectUntilDone(progress));
  await Promise.race([Promise.all(work), failAfter(load.milliseconds + responseTimeoutMs)]);
  const seconds = (performance.now() - start) / 1000;
  const { latencies, failures } = progress;
  return {
    perSecond: latencies.length / seconds,
    requests: latencies.length,
    failures,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** A server that hangs must not keep the benchmark. */
async function failAfter(milliseconds: number): Promise<never> {
  await delay(milliseconds, undefined, { ref: false });
  throw new Error('the server did not respond in time');
}

/** One connection after another, of which most loads need one. */
async function connectUntilDone(progress: Progress): Promise<void> {
  const nextRequest = requestsOf(progress.load);
  while (!progress.pace.isDone()) await useConnection(progress, nextRequest);
}

/** Sends a request, waits for the whole response, and repeats. */
function useConnection(progress: Progress, nextRequest: () => Buffer | string): Promise<void> {
  const { load, pace, latencies } = progress;
  const expected = String(load.status ?? 2);
  return new Promise((resolve, reject) => {
    const socket = openSocket(progress);
    let remaining = load.requestsPerAddress ?? Infinity;
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    const send = (at: number) => {
      sentAt = at;
      socket.write(nextRequest());
    };
    const next = () => {
      if (remaining > 0 && pace.begin(send)) {
        remaining -= 1;
        return;
      }
      resolve();
      socket.end();
    };
    socket.setNoDelay(true);
    socket.once(load.tls ? 'secureConnect' : 'connect', next);
    socket.once('error', reject);
    // Without effect if this side was done.
    socket.once('close', () => {
      reject(new Error('The server closed a connection.'));
    });
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (received.length < responseLength(received)) return;
      latencies.push(performance.now() - sentAt);
      if (!received.toString('latin1', 9, 12).startsWith(expected)) progress.failures += 1;
      received = Buffer.alloc(0);
      next();
    });
  });
}

function openSocket(progress: Progress): Socket {
  const { url, tls, requestsPerAddress } = progress.load;
  const { hostname: host, port } = new URL(url);
  const address = { host, port: Number(port) };
  if (tls) return connectTls({ ...address, ...tls });
  if (requestsPerAddress === undefined) return connect(address);
  progress.addresses += 1;
  return connect({ ...address, localAddress: loopbackAddress(progress.addresses) });
}

/** One of 8 million. */
function loopbackAddress(number: number): string {
  const octets = [number / 200 ** 2, number / 200, number].map(
    (one) => 1 + (Math.floor(one) % 200),
  );
  return ['127', ...octets].join('.');
}

/** The length of the whole response, from its Content-Length; Infinity while the headers are incomplete. */
function responseLength(received: Buffer): number {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return Infinity;
  const head = received.toString('latin1', 0, headEnd);
  return headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? NaN);
}
