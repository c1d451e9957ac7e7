/** Follows a stream from where its client lost it, wherever its invocation runs, or ran. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import { streamLost } from '../domain/invocations/stream-recording.js';
import type { Streams } from '../domain/invocations/streams.js';
import { isStoreUnavailable } from '../store/errors.js';
import type { Claim, StoredResponse } from '../store/idempotency-records.js';

export interface Position {
  claim: Claim;
  /** The position of the last event that the client has; 0 for the beginning. */
  after: number;
  /** If the invocation has ended already. */
  response?: StoredResponse;
}

const firstPauseMs = 100;

/**
 * Its events after that position, and then its end. While the database is unavailable it waits: to end the stream would
 * be to say that it failed. The signal ends it without an end.
 */
export async function* followStream(
  streams: Streams,
  { claim, after, response }: Position,
  signal: AbortSignal,
): AsyncGenerator<InvocationEvent> {
  let position = after;
  let end: { response: StoredResponse | undefined } | undefined = response && { response };
  let pauseMs = firstPauseMs;
  const pause = async () => {
    const wait = Math.min(pauseMs, streams.followEveryMs);
    await delay(wait, undefined, { signal }).catch(() => undefined);
    pauseMs = 2 * wait;
  };
  while (!signal.aborted) {
    try {
      const events = await streams.read(claim, position);
      for (const { event, data, ...stored } of events) {
        position = stored.position;
        yield { event, data: JSON.parse(data) as unknown } as InvocationEvent;
      }
      if (events.length > 0) {
        pauseMs = firstPauseMs;
        continue;
      }
      if (end) {
        if (!end.response) throw streamLost('the instance that ran it was lost');
        yield* finalEvents(end.response, position);
        return;
      }
      const { isRunning, response: stored } = await streams.follow(claim);
      // Its last events were stored before it ended, so that they are read now.
      if (isRunning) await pause();
      else end = { response: stored };
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      await pause();
    }
  }
}

/** The end of a stream that succeeded; the whole of it if it was not a stream at first. */
async function* finalEvents(
  { body }: StoredResponse,
  position: number,
): AsyncGenerator<InvocationEvent> {
  const { data } = JSON.parse(body) as { data: Invocation };
  if (position === 0 && data.response !== '') {
    yield { event: 'delta', data: { text: data.response } };
  }
  yield await Promise.resolve({ event: 'done', data });
}
