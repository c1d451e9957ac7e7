/** The client process of the streams benchmark: opens streams and measures the time to their first delta. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadRequest } from '../lib/load.js';

export interface StreamLoad {
  url: string;
  /** The streams use these in turn. */
  send: LoadRequest[];
  streams: number;
  /** The starts of the streams are spread evenly over this time. */
  spreadMs: number;
}

/** In milliseconds. */
export interface StreamTimes {
  /** From each request to its first delta. */
  first: number[];
  /** From the first request to the end of the last stream. */
  total: number;
}

async function openStreams({ url, send, streams, spreadMs }: StreamLoad): Promise<StreamTimes> {
  const start = performance.now();
  const first = await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await delay((spreadMs * index) / streams);
      return openStream(url, send[index % send.length]);
    }),
  );
  return { first, total: performance.now() - start };
}

/** Resolves at the end of the stream to the latency of its first delta. */
async function openStream(url: string, request?: LoadRequest): Promise<number> {
  const { path = '', headers, body } = request ?? {};
  const sentAt = performance.now();
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let text = '';
  let first = NaN;
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (Number.isNaN(first) && text.includes('event: delta')) first = performance.now() - sentAt;
  }
  if (!text.includes('event: done')) throw new Error(`A stream ended early: ${text.slice(-500)}`);
  return first;
}

process.once('message', (load: StreamLoad) => {
  void openStreams(load).then((times) =>
    process.send?.(times, () => {
      process.disconnect();
    }),
  );
});
