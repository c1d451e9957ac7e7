/** Resumes a stream after the last event that its client received, whichever instance runs or ran the invocation. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorResponse, Invocation, InvocationEvent } from '../../../generated/api.js';
import { streamLost } from './stream-recording.js';
import type { Streams } from './streams.js';
import type { Reservation } from '../../lib/async/bytes-in-flight.js';
import { isStoreUnavailable } from '../../postgres/errors.js';
import type { Claim } from '../../accounts/operation-context.js';
import type { StoredResponse } from '../../idempotency/sealed-response.js';
import type { SerialisedEvent } from '../../contract/response.js';

export interface StreamPosition {
  claim: Claim;
  /** The position of the last event that the client received; 0 for the beginning. */
  after: number;
  /** Set if the invocation has already ended. */
  response?: StoredResponse;
}

/** The shared resources of the account that follows the stream. */
interface FollowerResources {
  /** Runs a query in one of the account's database slots. */
  query: <Found>(find: () => Promise<Found>) => Promise<Found>;
  /** Covers events that are read but not sent yet. */
  memory: Reservation;
}

const firstPauseMs = 100;

/**
 * Yields the events after the position, including the final one. While the database is unavailable or the memory limit is reached,
 * it waits, because ending the stream would mean that the invocation failed. When the signal aborts, it returns without a final event.
 */
export async function* followStream(
  streams: Streams,
  { claim, after, response }: StreamPosition,
  { query, memory }: FollowerResources,
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
      const events = await query(() => streams.read(claim, position));
      const size = events.reduce((sum, { data }) => sum + data.length, 0);
      if (!memory.grow(size)) throw new MemoryLimitReached();
      for (const { event, data, ...stored } of events) {
        position = stored.position;
        yield { event, json: data } as SerialisedEvent;
        if (event === 'error') return;
      }
      if (events.length > 0) {
        pauseMs = firstPauseMs;
        continue;
      }
      if (end) {
        if (!end.response) throw streamLost('the instance that ran it was lost');
        if (!memory.grow(end.response.body.length)) throw new MemoryLimitReached();
        yield* finalEvents(end.response, position);
        return;
      }
      const { isRunning, response: stored } = await query(() => streams.follow(claim));
      // The invocation stored its last events before it ended: the next iteration reads them.
      if (isRunning) await pause();
      else end = { response: stored };
    } catch (error) {
      if (!isStoreUnavailable(error) && !(error instanceof MemoryLimitReached)) throw error;
      await pause();
    } finally {
      memory.release();
    }
  }
}

class MemoryLimitReached extends Error {}

/** The final events of an invocation; all of its events if the original response was not streamed. */
function finalEvents({ body }: StoredResponse, position: number): InvocationEvent[] {
  const stored = JSON.parse(body) as { success: true; data: Invocation } | ErrorResponse;
  if (!stored.success) return [{ event: 'error', data: stored.error }];
  const { data } = stored;
  const isWhole = position === 0 && data.response !== '';
  return [
    ...(isWhole ? [{ event: 'delta', data: { text: data.response } } as const] : []),
    { event: 'done', data },
  ];
}
