/** Writes an answer as server-sent events, no faster than the client reads them. */
import type { Response } from 'express';
import type { InvocationEvent } from '../../../generated/api.js';
import type { ServiceError } from '../../domain/errors.js';
import type { StreamedResponse } from '../../operations/response.js';
import { errorBody } from './error-response.js';

const pingEveryMs = 15_000;
/** A client that takes nothing for so long is gone, even if its connection is not. */
const maxStallMs = 60_000;

export type Explain = (fault: unknown) => Promise<ServiceError>;

export async function sendEvents(
  res: Response,
  { status, events, headers }: StreamedResponse,
  explain: Explain,
): Promise<void> {
  res.writeHead(status, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // Proxies that collect an answer before they pass it on are asked not to.
    'X-Accel-Buffering': 'no',
    ...headers,
  });
  res.flushHeaders();
  const ping = setInterval(() => res.write(': ping\n\n'), pingEveryMs);
  try {
    for await (const { event, data } of wellEnded(events, explain)) {
      if (res.destroyed) return;
      const hasRoom = res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!hasRoom) await roomIn(res);
    }
  } finally {
    clearInterval(ping);
    res.end();
  }
}

/** The events up to exactly one `done` or `error`, whatever happens on the way. */
async function* wellEnded(
  events: AsyncIterable<InvocationEvent>,
  explain: Explain,
): AsyncGenerator<InvocationEvent> {
  try {
    for await (const event of events) {
      yield event;
      if (event.event !== 'delta') return;
    }
    throw new Error('A stream ended without a last event.');
  } catch (fault) {
    yield { event: 'error', data: errorBody(await explain(fault)).error };
  }
}

/** Resolves when the client has taken what was written, or is gone. */
function roomIn(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => res.destroy(), maxStallMs);
    const done = () => {
      clearTimeout(stalled);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}
