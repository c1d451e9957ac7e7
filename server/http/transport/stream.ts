/** Sends a response as server-sent events, with backpressure. */
import type { Response } from 'express';
import type { InvocationEvent } from '../../../generated/api.js';
import type { ServiceError } from '../../contract/errors.js';
import type { SerialisedEvent, StreamedResponse } from '../../contract/response.js';
import { errorBody } from '../../contract/error-response.js';
import { stallTimeoutMs } from './respond.js';

const pingIntervalMs = 15_000;

type ReportError = (error: unknown) => Promise<ServiceError>;

export async function sendEvents(
  res: Response,
  { status, events, headers, stream }: StreamedResponse,
  reportError: ReportError,
): Promise<void> {
  const { id: streamId, after } = stream ?? { id: res.req.requestId, after: 0 };
  let position = after;
  // The client may have disconnected already, while the invocation continues.
  if (!res.closed) {
    res.writeHead(status, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // Asks proxies not to buffer the response.
      'X-Accel-Buffering': 'no',
      ...headers,
    });
    res.flushHeaders();
  }
  const ping = setInterval(() => res.write(': ping\n\n'), pingIntervalMs);
  const stopPing = () => {
    clearInterval(ping);
  };
  res.once('close', stopPing);
  try {
    for await (const sent of withFinalEvent(events, reportError)) {
      if (res.destroyed) return;
      position += 1;
      const id = `${streamId}.${position}`;
      const json = 'json' in sent ? sent.json : JSON.stringify(sent.data);
      const text = `id: ${id}\nevent: ${sent.event}\ndata: ${json}\n\n`;
      if (!res.write(text)) await drained(res);
    }
  } finally {
    stopPing();
    res.end();
  }
}

/** Ends the events with exactly one `done` or `error`, even if the source throws or stops early. */
async function* withFinalEvent(
  events: StreamedResponse['events'],
  reportError: ReportError,
): AsyncGenerator<InvocationEvent | SerialisedEvent> {
  try {
    for await (const event of events) {
      yield event;
      if (event.event === 'done' || event.event === 'error') return;
    }
    throw new Error('The event stream ended without a final event.');
  } catch (error) {
    yield { event: 'error', data: errorBody(await reportError(error)).error };
  }
}

/** Resolves when the write buffer is empty or the connection is closed. */
function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const stallTimer = setTimeout(() => res.destroy(), stallTimeoutMs);
    const done = () => {
      clearTimeout(stallTimer);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}
