/** Follows a stream from where its client lost it, wherever its invocation runs, or ran. */
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import { streamLost } from '../domain/invocations/stream-recording.js';
import type { FoundResponse, Streams } from '../domain/invocations/streams.js';
import { isStoreUnavailable } from '../store/errors.js';
import { type Claim, isLong, type StoredResponse } from '../store/idempotency-records.js';
import type { SerialisedEvent } from './response.js';

export interface Position {
  claim: Claim;
  /** The position of the last event that the client has; 0 for the beginning. */
  after: number;
  /** If the invocation has ended already. */
  response?: FoundResponse;
}

/** What the account that follows may do at a time. */
export interface Follower {
  /** Looks something up in the database. */
  look: <Found>(find: () => Promise<Found>) => Promise<Found>;
  /** Returns how to release it, or undefined if there is no room for it now. */
  hold: (characters: number) => (() => void) | undefined;
  /** Reads a long one. */
  read: <Text>(characters: number, read: () => Promise<Text>) => Promise<Text>;
}

const firstPauseMs = 100;

/** Takes a while to parse and to send: others go on in between. */
const longBody = 500_000;

/**
 * Its events after that position, and then its end. While the database is unavailable, or there is no room for a long event,
 * it waits: to end the stream would be to say that it failed. The signal ends it without an end.
 */
export async function* followStream(
  streams: Streams,
  { claim, after, response }: Position,
  { look, hold, read }: Follower,
  signal: AbortSignal,
): AsyncGenerator<InvocationEvent | SerialisedEvent> {
  let position = after;
  let end: { response: FoundResponse | undefined } | undefined = response && { response };
  let pauseMs = firstPauseMs;
  const pause = async () => {
    const wait = Math.min(pauseMs, streams.followEveryMs);
    await delay(wait, undefined, { signal }).catch(() => undefined);
    pauseMs = 2 * wait;
  };
  while (!signal.aborted) {
    const held: (() => void)[] = [];
    const load = <Text>(characters: number, find: () => Promise<Text>) => {
      const release = hold(characters);
      if (!release) throw new NoRoom();
      held.push(release);
      return read(characters, async () => (signal.aborted ? undefined : find()));
    };
    try {
      const events = await look(() => streams.read(claim, position));
      for (const { event, bytes, ...stored } of events) {
        const data =
          stored.data ?? (await load(bytes, () => streams.readData(claim, stored.position)));
        position = stored.position;
        if (data !== undefined) yield { event, json: data } as SerialisedEvent;
      }
      if (events.length > 0) {
        pauseMs = firstPauseMs;
        continue;
      }
      if (end) {
        const { response: found } = end;
        const whole =
          found && isLong(found)
            ? await load(found.length, () => streams.readResponse(claim))
            : found;
        if (!whole) throw streamLost('the instance that ran it was lost');
        yield* finalEvents(whole, position);
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
      for (const release of held) release();
    }
  }
}

/** There is no room for a long event now. */
class NoRoom extends Error {}

/** The end of a stream that succeeded; the whole of it if it was not a stream at first. */
async function* finalEvents(
  { body }: StoredResponse,
  position: number,
): AsyncGenerator<InvocationEvent | SerialisedEvent> {
  if (position === 0) {
    const { data } = JSON.parse(body) as { data: Invocation };
    if (body.length > longBody) await nextIteration();
    if (data.response !== '') yield { event: 'delta', data: { text: data.response } };
  }
  yield { event: 'done', json: dataOf(body) };
}

const envelope = '{"success":true,"data":';

/** The data of a response as JSON, which is cut out of it: to parse a long one and write it again would take a while. */
function dataOf(body: string): string {
  if (body.startsWith(envelope)) return body.slice(envelope.length, -1);
  return JSON.stringify((JSON.parse(body) as { data: unknown }).data);
}
