/** Follows a stream from where its client lost it, wherever its invocation runs, or ran. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import { streamLost } from '../domain/invocations/stream-recording.js';
import type { Streams } from '../domain/invocations/streams.js';
import type { Reservation } from '../lib/async/bytes-in-flight.js';
import { isStoreUnavailable } from '../store/postgres/errors.js';
import type { Claim, StoredResponse } from '../store/idempotency/records.js';
import type { SerialisedEvent } from './response.js';

export interface Position {
  claim: Claim;
  /** The position of the last event that the client has; 0 for the beginning. */
  after: number;
  /** If the invocation has ended already. */
  response?: StoredResponse;
}

/** What the account that follows may do at a time. */
export interface Follower {
  /** Looks something up in the database. */
  look: <Found>(find: () => Promise<Found>) => Promise<Found>;
  /** What is read and not sent yet. */
  memory: Reservation;
}

const firstPauseMs = 100;

/**
 * Its events after that position, and then its end. While the database is unavailable, or there is no room for what was read, it
 * waits: to end the stream would be to say that it failed. The signal ends it without an end.
 */
export async function* followStream(
  streams: Streams,
  { claim, after, response }: Position,
  { look, memory }: Follower,
  signal: AbortSignal,
): AsyncGenerator<InvocationEvent | SerialisedEvent> {
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
      const events = await look(() => streams.read(claim, position));
      if (!memory.grow(events.reduce((sum, { data }) => sum + data.length, 0))) throw new NoRoom();
      for (const { event, data, ...stored } of events) {
        position = stored.position;
        yield { event, json: data } as SerialisedEvent;
      }
      if (events.length > 0) {
        pauseMs = firstPauseMs;
        continue;
      }
      if (end) {
        if (!end.response) throw streamLost('the instance that ran it was lost');
        if (!memory.grow(end.response.body.length)) throw new NoRoom();
        yield* finalEvents(end.response, position);
        return;
      }
      const { isRunning, response: stored } = await look(() => streams.follow(claim));
      // Its last events were stored before it ended, so that they are read now.
      if (isRunning) await pause();
      else end = { response: stored };
    } catch (error) {
      if (!isStoreUnavailable(error) && !(error instanceof NoRoom)) throw error;
      await pause();
    } finally {
      memory.release();
    }
  }
}

/** There is no room for what was read. */
class NoRoom extends Error {}

/** The end of a stream that succeeded; the whole of it if it was not a stream at first. */
function finalEvents({ body }: StoredResponse, position: number): InvocationEvent[] {
  const { data } = JSON.parse(body) as { data: Invocation };
  const isWhole = position === 0 && data.response !== '';
  return [
    ...(isWhole ? [{ event: 'delta', data: { text: data.response } } as const] : []),
    { event: 'done', data },
  ];
}
