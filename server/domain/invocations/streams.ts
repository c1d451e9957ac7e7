/** Streams that survive a lost connection: they are recorded, continue for a grace period without a client, and can be resumed. */
import { setTimeout as delay } from 'node:timers/promises';
import type {
  Claim,
  FollowedRequest,
  IdempotencyRecords,
} from '../../store/idempotency/records.js';
import type {
  StoredEvent,
  StreamEvents,
  StreamName,
} from '../../store/idempotency/stream-events.js';
import { recordStream, type StreamRecording } from './stream-recording.js';
import { currentTime } from '../../lib/time/clock.js';

export interface Streams {
  /** Events are stored before they are passed to `send`. */
  record: (
    claim: Claim,
    invocation: RecordedInvocation,
    send: Parameters<typeof recordStream>[3],
  ) => StreamRecording;
  /** Registers the function that stops the run of a stream. Returns a function that removes it. */
  onStop: (claim: Claim, stop: () => void) => () => void;
  /** For a stream whose client disconnected: stops the run once no client has followed it for the grace period. */
  stopUnlessFollowed: (claim: Claim) => Promise<void>;
  /** Stops the run, immediately if it is on this instance, otherwise when its instance renews the claim. Never rejects. */
  stop: (claim: Claim) => Promise<void>;
  /** Reads a batch of events after the position. */
  read: (claim: Claim, after: number) => Promise<StoredEvent[]>;
  /** Whether the event at the position is stored and is not the last one. */
  has: (claim: Claim, position: number) => Promise<boolean>;
  /** Followers must call `follow` at least this often. */
  followEveryMs: number;
  /** Keeps the run going. Resolves to whether it is still running, and to its response if it has one. */
  follow: (claim: Claim) => Promise<FollowedRequest>;
}

export interface RecordedInvocation {
  agentId: string;
  timeoutMs: number;
  /** If false, the stream is dropped after it has ended and the grace period is over. */
  isRemembered: boolean;
}

interface StreamsOptions {
  records: IdempotencyRecords;
  events: StreamEvents;
  /** How long an invocation continues without a client. */
  graceMs: number;
}

/** The delay while the database is unavailable and cannot tell whether the stream is followed. */
const retryMs = 1_000;

export function createStreams({ records, events, graceMs }: StreamsOptions): Streams {
  const stopHandlers = new Map<string, () => void>();
  return {
    record: (claim, { agentId, timeoutMs, isRemembered }, send) => {
      // Set from the start, so that the stream is dropped even if this instance crashes.
      const dropAt = isRemembered ? null : new Date(currentTime() + timeoutMs + graceMs);
      return recordStream(events, { ...nameOf(claim), agentId, dropAt }, graceMs, send);
    },

    onStop({ owner }, stop) {
      stopHandlers.set(owner, stop);
      return () => {
        stopHandlers.delete(owner);
      };
    },

    async stopUnlessFollowed(claim) {
      let leftMs = graceMs;
      while (leftMs > 0) {
        await delay(leftMs, undefined, { ref: false });
        if (!stopHandlers.has(claim.owner)) return;
        leftMs = await records.renew(claim).then(
          (renewal) => (renewal === 'lost' ? 0 : graceMs - (renewal.sinceFollowedMs ?? Infinity)),
          () => retryMs,
        );
      }
      stopHandlers.get(claim.owner)?.();
    },

    async stop(claim) {
      const stopHere = stopHandlers.get(claim.owner);
      if (stopHere) stopHere();
      // If the request fails, the run ends with the grace period.
      else await records.requestStop(claim).catch(() => undefined);
    },

    // Often enough that a late call does no harm.
    followEveryMs: Math.max(50, Math.min(1_000, graceMs / 4)),
    read: (claim, after) => events.read(nameOf(claim), after),
    has: (claim, position) => events.has(nameOf(claim), position),

    follow: (claim) => records.follow(claim),
  };
}

/** The owner of a claim is the id of its request. */
function nameOf({ accountId, id, owner }: Claim): StreamName {
  return { accountId, idempotencyId: id, streamId: owner };
}
