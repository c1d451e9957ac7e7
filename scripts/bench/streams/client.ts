/** Opens many streams at a time, and notes when each delta arrives. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls } from '../lib/remote.js';
import { type RequestOptions, requestsOf } from '../lib/request.js';
import { percentile } from '../lib/statistics.js';
import { createTimestampReader, monotonicMs } from './timestamps.js';

export interface StreamLoad {
  /** The streams are distributed over these. */
  requests: RequestOptions[];
  streams: number;
  /** How many streams follow each other in each place. */
  generations: number;
  /** The time over which the first ones begin, evenly. */
  spreadMs: number;
  deltas: number;
}

export interface StreamResult {
  deltasPerSecond: number;
  deltas: number;
  /** In milliseconds: from the request to the first delta. */
  first: { p50: number; p99: number };
  /** In milliseconds: from when the model sent a delta until it arrived here. */
  lateness: { p50: number; p99: number; max: number };
}

interface Arrivals {
  first: number[];
  lateness: number[];
}

async function openStreams(load: StreamLoad): Promise<StreamResult> {
  const arrivals: Arrivals = { first: [], lateness: [] };
  const start = monotonicMs();
  await Promise.all(
    Array.from({ length: load.streams }, async (_, index) => {
      const request = load.requests[index % load.requests.length];
      if (!request) return;
      await delay((load.spreadMs * index) / load.streams);
      await streamInTurn(load, request, arrivals);
    }),
  );
  const { first, lateness } = arrivals;
  return {
    deltasPerSecond: lateness.length / ((monotonicMs() - start) / 1000),
    deltas: lateness.length,
    first: { p50: percentile(first, 0.5), p99: percentile(first, 0.99) },
    lateness: {
      p50: percentile(lateness, 0.5),
      p99: percentile(lateness, 0.99),
      max: percentile(lateness, 1),
    },
  };
}

async function streamInTurn(
  { generations, deltas }: StreamLoad,
  request: RequestOptions,
  arrivals: Arrivals,
): Promise<void> {
  const { hostname, port } = new URL(request.url);
  const next = requestsOf(request);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  for (let count = 0; count < generations; count += 1) {
    const received = await streamOnce(socket, next(), arrivals);
    if (received !== deltas) throw new Error(`a stream had ${received} deltas`);
  }
  socket.end();
}

/** Resolves to the number of deltas, when the response has ended. */
function streamOnce(socket: Socket, request: Buffer | string, arrivals: Arrivals): Promise<number> {
  return new Promise((resolve, reject) => {
    const reader = createTimestampReader();
    const sentAt = monotonicMs();
    let count = 0;
    let tail = '';
    const onData = (chunk: Buffer) => {
      const now = monotonicMs();
      const text = chunk.toString('latin1');
      for (const sent of reader.read(text)) {
        if (count === 0) arrivals.first.push(now - sentAt);
        arrivals.lateness.push(now - sent);
        count += 1;
      }
      tail = (tail + text).slice(-7);
      if (tail !== '\r\n0\r\n\r\n') return;
      stopListening();
      resolve(count);
    };
    const onEnd = () => {
      reject(new Error('the service closed a connection'));
    };
    const stopListening = () => {
      socket.off('data', onData).off('close', onEnd).off('error', reject);
    };
    socket.on('data', onData).once('close', onEnd).once('error', reject);
    socket.write(request);
  });
}

answerCalls(openStreams);
