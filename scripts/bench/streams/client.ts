/** Opens streams and notes when the first delta of each arrives. A process of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadRequest } from '../lib/load.js';

export interface StreamLoad {
  url: string;
  /** The streams are distributed over these. */
  send: LoadRequest[];
  streams: number;
  /** The time over which they begin, evenly. */
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
  const begun = performance.now();
  const first = await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await delay((spreadMs * index) / streams);
      return openStream(url, send[index % send.length]);
    }),
  );
  return { first, total: performance.now() - begun };
}

/** Resolves at its end to how long the first delta took. */
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
  if (!text.includes('event: done')) throw new Error(`A stream broke off: ${text.slice(-500)}`);
  return first;
}

process.once('message', (load: StreamLoad) => {
  void openStreams(load).then((times) =>
    process.send?.(times, () => {
      process.disconnect();
    }),
  );
});
