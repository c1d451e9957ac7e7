/**
 * Records the events of a stream that can be resumed. An event is stored before it is sent, so that whatever a client has
 * seen can be resumed from any instance. The first one is stored at once, and what comes while that is written, or shortly
 * after, together.
 */
import type { InvocationEvent } from '../../../generated/api.js';
import type { NewStream, StreamEvents } from '../../store/idempotency/stream-events.js';
import { type ClientDisconnected, errorDetail, ServiceError } from '../errors.js';

export interface StreamRecording {
  push: (event: InvocationEvent) => void;
  /** Resolves when everything so far is stored; rejects if that failed. */
  flush: () => Promise<void>;
  /** Stores the error that the stream ends with. Never rejects: without it, the stream ends as one that was lost. */
  fail: (error: ServiceError | ClientDisconnected) => Promise<void>;
  /** To be called when the invocation has ended and is recorded. Never rejects: at the latest, it is dropped as if it ran to its time-out. */
  end: () => Promise<void>;
  /** Deletes what was stored, after the agent was deleted. Never rejects. */
  discard: () => Promise<void>;
}

/** Between two writes of one stream. */
const pauseMs = 100;

export function recordStream(
  store: StreamEvents,
  stream: NewStream,
  graceMs: number,
  send: (event: InvocationEvent) => void,
): StreamRecording {
  /** What is being stored. It stays as it is until it is: it may be stored already, and only the answer was lost. */
  let batch: InvocationEvent[] = [];
  let pending: InvocationEvent[] = [];
  let position = 0;
  let isScheduled = false;
  let writing: Promise<void> | undefined;

  const writeBatch = async () => {
    if (batch.length === 0) {
      batch = pending;
      pending = [];
    }
    const events = batch.map(({ event, data }, index) => ({
      position: position + index + 1,
      event,
      data: JSON.stringify(data),
    }));
    await store.append({ ...stream, events });
    position += batch.length;
    const stored = batch;
    batch = [];
    stored.forEach(send);
  };
  const hasMore = () => batch.length + pending.length > 0;

  const write = () =>
    (writing ??= writeBatch().finally(() => {
      writing = undefined;
    }));

  /** Writes, and again after a pause. What could not be stored is stored by the next write. */
  const schedule = () => {
    if (isScheduled || !hasMore()) return;
    isScheduled = true;
    const pause = () => {
      const goOn = () => {
        isScheduled = false;
        schedule();
      };
      setTimeout(goOn, pauseMs).unref();
    };
    write().then(pause, pause);
  };

  const flush = async () => {
    await writing?.catch(() => undefined);
    while (hasMore()) await write();
  };

  return {
    push(event) {
      const last = pending.at(-1);
      if (event.event === 'delta' && last?.event === 'delta') {
        // They would be sent at the same moment. One event instead of many also bounds what is stored.
        pending[pending.length - 1] = {
          event: 'delta',
          data: { text: last.data.text + event.data.text },
        };
      } else {
        pending.push(event);
      }
      schedule();
    },
    flush,
    async fail(error) {
      try {
        await flush();
        const data = JSON.stringify(errorDetail(finalError(error)));
        await store.append({
          ...stream,
          events: [{ position: position + 1, event: 'error', data }],
        });
      } catch {
        // A client that resumes the stream finds that it has no end.
      }
    },
    end: async () => {
      if (stream.dropAt === null) return;
      await store.dropAt(stream, new Date(Date.now() + graceMs)).catch(() => undefined);
    },
    discard: async () => {
      await store.remove(stream).catch(() => undefined);
    },
  };
}

function finalError(error: ServiceError | ClientDisconnected): ServiceError {
  return error instanceof ServiceError ? error : streamLost('no client followed it');
}

export function streamLost(reason: string): ServiceError {
  return new ServiceError(
    'unavailable',
    `The invocation was stopped because ${reason}. Repeat the request without Last-Event-ID to run it again.`,
    { retryAfter: 1 },
  );
}
