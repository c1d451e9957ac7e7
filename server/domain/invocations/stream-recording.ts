/**
 * Records the events of a resumable stream. Events are stored before they are sent, so that every event that a client has
 * seen can be resumed from on any instance. The first event is stored immediately; events that arrive during a write or
 * the pause after it are stored together.
 */
import type { InvocationEvent } from '../../../generated/api.js';
import type { NewStream, StreamEvents } from '../../store/idempotency/stream-events.js';
import { type ClientDisconnected, errorDetail, ServiceError } from '../errors.js';
import { currentTime } from '../../lib/time/clock.js';

export interface StreamRecording {
  push: (event: InvocationEvent) => void;
  /** Resolves when all events so far are stored; rejects if that fails. */
  flush: () => Promise<void>;
  /** Stores the error that ends the stream. Never rejects: without a stored error, resuming reports that the stream was lost. */
  fail: (error: ServiceError | ClientDisconnected) => Promise<void>;
  /** Call when the outcome is recorded. Never rejects: if it fails, a stream that must be dropped is dropped after the timeout. */
  end: () => Promise<void>;
  /** Deletes the stored events, after the agent was deleted. Never rejects. */
  discard: () => Promise<void>;
}

/** The minimum time between two writes of one stream. */
const pauseMs = 100;

export function recordStream(
  store: StreamEvents,
  stream: NewStream,
  graceMs: number,
  send: (event: InvocationEvent) => void,
): StreamRecording {
  /** The events being stored. A retry must send the same batch, which may have been committed before the connection was lost. */
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

  /** Writes repeatedly, with pauses, until nothing is pending. The next write includes events that could not be stored. */
  const schedule = () => {
    if (isScheduled || !hasMore()) return;
    isScheduled = true;
    const pause = () => {
      const reschedule = () => {
        isScheduled = false;
        schedule();
      };
      setTimeout(reschedule, pauseMs).unref();
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
        // Merged, since both would be sent at the same time. This also bounds the number of stored events.
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
        // A client that resumes the stream learns that it was lost.
      }
    },
    end: async () => {
      if (stream.dropAt === null) return;
      await store.dropAt(stream, new Date(currentTime() + graceMs)).catch(() => undefined);
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
    `The invocation was stopped because ${reason}. To run it again, repeat the request without Last-Event-ID.`,
    { retryAfter: 1 },
  );
}
