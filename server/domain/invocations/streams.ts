/** Streams that survive a lost connection: they are recorded, go on without their client for a while, and can be followed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim, IdempotencyRecords, StoredResponse } from '../../store/idempotency/records.js';
import type {
  StoredEvent,
  StreamEvents,
  StreamName,
} from '../../store/idempotency/stream-events.js';
import { recordStream, type StreamRecording } from './stream-recording.js';

export interface Streams {
  /** Events are stored first, and then given to `send`. */
  record: (
    claim: Claim,
    invocation: RecordedInvocation,
    send: Parameters<typeof recordStream>[3],
  ) => StreamRecording;
  /** Says how to stop the run of a stream. Returns how to forget that, when it has ended. */
  onStop: (claim: Claim, stop: () => void) => () => void;
  /** For a stream whose client is gone: stops its run once nobody has followed it for the grace time. */
  stopUnlessFollowed: (claim: Claim) => Promise<void>;
  /** Stops its run, at once if that is here, or else when its instance renews the claim. Never rejects. */
  stop: (claim: Claim) => Promise<void>;
  /** The next events after that position, of which there may be more. */
  read: (claim: Claim, after: number) => Promise<StoredEvent[]>;
  /** Whether that event was stored, and others come after it. */
  has: (claim: Claim, position: number) => Promise<boolean>;
  /** How often whoever follows a stream must say so at least. */
  followEveryMs: number;
  /** Keeps the run going for whoever follows it. Resolves with its response if it has one, and whether it still runs. */
  follow: (claim: Claim) => Promise<{ isRunning: boolean; response?: StoredResponse }>;
}

export interface RecordedInvocation {
  agentId: string;
  timeoutMs: number;
  /** False: the stream is dropped when it has ended and the grace time is over. */
  isRemembered: boolean;
}

export interface StreamsOptions {
  records: IdempotencyRecords;
  events: StreamEvents;
  /** How long an invocation goes on without its client. */
  graceMs: number;
}

/** While the database does not say whether somebody follows. */
const retryMs = 1_000;

export function createStreams({ records, events, graceMs }: StreamsOptions): Streams {
  const stops = new Map<string, () => void>();
  return {
    record: (claim, { agentId, timeoutMs, isRemembered }, send) => {
      // Set from the beginning, so that it holds also if this instance is lost.
      const dropAt = isRemembered ? null : new Date(Date.now() + timeoutMs + graceMs);
      return recordStream(events, { ...nameOf(claim), agentId, dropAt }, graceMs, send);
    },

    onStop({ owner }, stop) {
      stops.set(owner, stop);
      return () => {
        stops.delete(owner);
      };
    },

    async stopUnlessFollowed(claim) {
      let leftMs = graceMs;
      while (leftMs > 0) {
        await delay(leftMs, undefined, { ref: false });
        if (!stops.has(claim.owner)) return;
        leftMs = await records.renew(claim).then(
          (renewal) => (renewal === 'lost' ? 0 : graceMs - (renewal.sinceFollowedMs ?? Infinity)),
          () => retryMs,
        );
      }
      stops.get(claim.owner)?.();
    },

    async stop(claim) {
      const stopHere = stops.get(claim.owner);
      if (stopHere) stopHere();
      // At the latest, the grace time ends it.
      else await records.requestStop(claim).catch(() => undefined);
    },

    // Often enough that one or two that are late do not matter.
    followEveryMs: Math.max(50, Math.min(1_000, graceMs / 4)),
    read: (claim, after) => events.read(nameOf(claim), after),
    has: (claim, position) => events.has(nameOf(claim), position),

    async follow(claim) {
      if (await records.follow(claim)) return { isRunning: true };
      const response = await records.findResponse(claim);
      return { isRunning: false, ...(response && { response }) };
    },
  };
}

/** The owner of a claim is the id of its request. */
function nameOf({ accountId, id, owner }: Claim): StreamName {
  return { accountId, idempotencyId: id, streamId: owner };
}
