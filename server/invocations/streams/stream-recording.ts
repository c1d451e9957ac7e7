/**
 * Records the events of a resumable stream. Events are stored before they are sent, so that every event that a client has
 * seen can be resumed from on any instance. The first event is stored immediately; events that arrive during a write or
 * the pause after it are stored together.
 */
import type { InvocationEvent } from '../../../generated/api.js';
import type { NewStream, StreamEvents } from './stream-events.js';
import { type ClientDisconnected, errorDetail, ServiceError } from '../../contract/errors.js';
import { currentTime } from '../../lib/time/clock.js';
import type { EventReceiver } from '../call-agent.js';

/** The minimum time between two writes of one stream. */
const pauseMs = 100;

interface StreamRecordingParts {
  store: StreamEvents;
  stream: NewStream;
  /** How long a stream that must be dropped stays after its end. */
  graceMs: number;
  /** Receives events once they are stored. */
  send: (event: InvocationEvent) => void;
}

export class StreamRecording implements EventReceiver {
  readonly #store: StreamEvents;
  readonly #stream: NewStream;
  readonly #graceMs: number;
  readonly #send: (event: InvocationEvent) => void;
  /** The events being stored. A retry must send the same batch, which may have been committed before the connection was lost. */
  #batch: InvocationEvent[] = [];
  #pending: InvocationEvent[] = [];
  #position = 0;
  #isScheduled = false;
  #writing: Promise<void> | undefined;

  constructor({ store, stream, graceMs, send }: StreamRecordingParts) {
    this.#store = store;
    this.#stream = stream;
    this.#graceMs = graceMs;
    this.#send = send;
  }

  push(event: InvocationEvent): void {
    const last = this.#pending.at(-1);
    if (event.event === 'delta' && last?.event === 'delta') {
      // Merged, since both would be sent at the same time. This also bounds the number of stored events.
      this.#pending[this.#pending.length - 1] = {
        event: 'delta',
        data: { text: last.data.text + event.data.text },
      };
    } else {
      this.#pending.push(event);
    }
    this.#schedule();
  }

  /** Resolves when all events so far are stored; rejects if that fails. */
  async flush(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    while (this.#hasMore()) await this.#write();
  }

  /** Stores the error that ends the stream. Never rejects: without a stored error, resuming reports that the stream was lost. */
  async storeError(error: ServiceError | ClientDisconnected): Promise<void> {
    try {
      await this.flush();
      const data = JSON.stringify(errorDetail(finalError(error)));
      await this.#store.append({
        ...this.#stream,
        events: [{ position: this.#position + 1, event: 'error', data }],
      });
    } catch {
      // A client that resumes the stream learns that it was lost.
    }
  }

  /** Call when the outcome is recorded. Never rejects: if it fails, a stream that must be dropped is dropped after the timeout. */
  async end(): Promise<void> {
    if (this.#stream.dropAt === null) return;
    const dropAt = new Date(currentTime() + this.#graceMs);
    await this.#store.dropAt(this.#stream, dropAt).catch(() => undefined);
  }

  /** Deletes the stored events, after the agent was deleted. Never rejects. */
  async discard(): Promise<void> {
    await this.#store.remove(this.#stream).catch(() => undefined);
  }

  /** Writes repeatedly, with pauses, until nothing is pending. The next write includes events that could not be stored. */
  #schedule(): void {
    if (this.#isScheduled || !this.#hasMore()) return;
    this.#isScheduled = true;
    const pause = () => {
      const reschedule = () => {
        this.#isScheduled = false;
        this.#schedule();
      };
      setTimeout(reschedule, pauseMs).unref();
    };
    this.#write().then(pause, pause);
  }

  #hasMore(): boolean {
    return this.#batch.length + this.#pending.length > 0;
  }

  #write(): Promise<void> {
    return (this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
    }));
  }

  async #writeBatch(): Promise<void> {
    if (this.#batch.length === 0) {
      this.#batch = this.#pending;
      this.#pending = [];
    }
    const events = this.#batch.map(({ event, data }, index) => ({
      position: this.#position + index + 1,
      event,
      data: JSON.stringify(data),
    }));
    await this.#store.append({ ...this.#stream, events });
    this.#position += this.#batch.length;
    const stored = this.#batch;
    this.#batch = [];
    stored.forEach(this.#send);
  }
}

function finalError(error: ServiceError | ClientDisconnected): ServiceError {
  return error instanceof ServiceError ? error : streamLost('no client followed it');
}

export function streamLost(reason: string): ServiceError {
  return new ServiceError(
    'unavailable',
    `The invocation was stopped because ${reason}. Repeat the request without Last-Event-ID: it goes on, or begins again if no tool was called.`,
    { retryAfter: 1 },
  );
}
