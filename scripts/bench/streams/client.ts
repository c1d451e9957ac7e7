/** Opens streams, all of them within the time of one, and notes when each delta arrives. A process of its own. */
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadRequest } from '../lib/load.js';
import { createTimeReader, monotonicMs } from './times.js';

export interface StreamLoad {
  url: string;
  /** The streams are distributed over these. */
  send: LoadRequest[];
  streams: number;
  /** The time over which they begin, evenly. */
  spreadMs: number;
  /** Of each stream. */
  deltas: number;
}

/** In milliseconds. */
export interface StreamTimes {
  /** From each request to its first delta. */
  first: number[];
  /** From when the model sent a delta until it arrived. */
  late: number[];
  /** From the first request to the end of the last stream. */
  total: number;
}

async function openStreams(load: StreamLoad): Promise<StreamTimes> {
  const times: StreamTimes = { first: [], late: [], total: 0 };
  const begun = monotonicMs();
  await Promise.all(
    Array.from({ length: load.streams }, async (_, index) => {
      await delay((load.spreadMs * index) / load.streams);
      const request = load.send[index % load.send.length];
      if (request) await openStream(load, request, times);
    }),
  );
  times.total = monotonicMs() - begun;
  return times;
}

async function openStream(
  { url, deltas }: StreamLoad,
  { path, headers, body }: LoadRequest,
  times: StreamTimes,
): Promise<void> {
  const sentAt = monotonicMs();
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(url + path, {
      method: 'POST',
      agent: false,
      headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
    });
    request.once('response', resolve).once('error', reject).end(JSON.stringify(body));
  });
  const read = createTimeReader();
  let count = 0;
  for await (const part of response.setEncoding('utf8')) {
    const now = monotonicMs();
    for (const sent of read(part as string)) {
      if (count === 0) times.first.push(now - sentAt);
      times.late.push(now - sent);
      count += 1;
    }
  }
  if (count !== deltas) throw new Error(`A stream had ${count} deltas (${response.statusCode}).`);
}

process.once('message', (load: StreamLoad) => {
  void openStreams(load).then((times) =>
    process.send?.(times, () => {
      process.disconnect();
    }),
  );
});
