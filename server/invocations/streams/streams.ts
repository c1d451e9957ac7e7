/** Streams that survive a lost connection: they are recorded, continue for a grace period without a client, and can be resumed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { InvocationEvent } from '../../../generated/api.js';
import type { FollowedRequest, IdempotencyRecords } from '../../idempotency/records.js';
import type { Claim } from '../../accounts/operation-context.js';
import type { StoredEvent, StreamEvents, StreamName } from './stream-events.js';
import { longestWaitMs } from '../../contract/agent-options.js';
import { currentTime } from '../../lib/time/clock.js';
import { type InvocationInput, isRemembered } from '../invocation.js';
import { StreamRecording } from './stream-recording.js';

interface StreamsParts {
  records: IdempotencyRecords;
  events: StreamEvents;
  /** How long an invocation continues without a client. */
  graceMs: number;
}

interface NewRecording {
  claim: Claim;
  invocation: InvocationInput;
  /** Receives events once they are stored. */
  send: (event: InvocationEvent) => void;
}

/** The delay while the database is unavailable and cannot tell whether the stream is followed. */
const retryMs = 1_000;

export class Streams {
  readonly #records: IdempotencyRecords;
  readonly #events: StreamEvents;
  readonly #graceMs: number;
  readonly #stopHandlers = new Map<string, () => void>();
  /** Followers must call `follow` at least this often: often enough that a late call does no harm. */
  readonly followEveryMs: number;

  constructor({ records, events, graceMs }: StreamsParts) {
    this.#records = records;
    this.#events = events;
    this.#graceMs = graceMs;
    this.followEveryMs = Math.max(50, Math.min(1_000, graceMs / 4));
  }

  /** A stream that must not be remembered is dropped after it has ended and the grace period is over. */
  record({ claim, invocation, send }: NewRecording): StreamRecording {
    const graceMs = this.#graceMs;
    const { agentId, agent } = invocation;
    // Set from the start, so that the stream is dropped even if this instance crashes.
    const dropAt = isRemembered(invocation)
      ? null
      : new Date(currentTime() + Math.min(agent.timeoutMs, longestWaitMs) + graceMs);
    const stream = { ...nameOf(claim), agentId, dropAt };
    return new StreamRecording({ store: this.#events, stream, graceMs, send });
  }

  /** Registers the function that stops the run of a stream. Returns a function that removes it. */
  onStop({ owner }: Claim, stop: () => void): () => void {
    this.#stopHandlers.set(owner, stop);
    return () => {
      this.#stopHandlers.delete(owner);
    };
  }

  /** For a stream whose client disconnected: stops the run once no client has followed it for the grace period. */
  async stopUnlessFollowed(claim: Claim): Promise<void> {
    const graceMs = this.#graceMs;
    let leftMs = graceMs;
    while (leftMs > 0) {
      await delay(leftMs, undefined, { ref: false });
      if (!this.#stopHandlers.has(claim.owner)) return;
      leftMs = await this.#records.renew(claim).then(
        (renewal) => (renewal === 'lost' ? 0 : graceMs - (renewal.sinceFollowedMs ?? Infinity)),
        () => retryMs,
      );
    }
    this.#stopHandlers.get(claim.owner)?.();
  }

  /** Stops the run, immediately if it is on this instance, otherwise when its instance renews the claim. Never rejects. */
  async stop(claim: Claim): Promise<void> {
    const stopHere = this.#stopHandlers.get(claim.owner);
    if (stopHere) stopHere();
    // If the request fails, the run ends with the grace period.
    else await this.#records.requestStop(claim).catch(() => undefined);
  }

  /** Reads a batch of events after the position. */
  read(claim: Claim, after: number): Promise<StoredEvent[]> {
    return this.#events.read(nameOf(claim), after);
  }

  /** Whether the event at the position is stored and is not the last one. */
  has(claim: Claim, position: number): Promise<boolean> {
    return this.#events.has(nameOf(claim), position);
  }

  /** Keeps the run going. Resolves to whether it is still running, and to its response if it has one. */
  follow(claim: Claim): Promise<FollowedRequest> {
    return this.#records.follow(claim);
  }
}

/** The owner of a claim is the id of its request. */
function nameOf({ accountId, id, owner }: Claim): StreamName {
  return { accountId, idempotencyId: id, streamId: owner };
}
