/** Last-Event-ID: a client that lost its connection gets the rest of its stream, and never starts a second one. */
import type { Response } from 'express';
import {
  idempotencyMismatch,
  invalid,
  responseDropped,
  tooManyInvocations,
  unknownStream,
} from '../../domain/errors.js';
import type { Streams } from '../../domain/invocations/streams.js';
import type { BytesInFlight } from '../../lib/async/bytes-in-flight.js';
import { type FairQueue, inSlot } from '../../lib/async/fair-queue.js';
import { parsePreferences } from '../../lib/net/preferences.js';
import { createTally } from '../../lib/async/tally.js';
import { followStream, type Position } from '../../operations/follow-stream.js';
import {
  type IdempotencyRecords,
  type IdempotencyScope,
  type RecordOutcome,
  recordIdOf,
} from '../../store/idempotency/records.js';
import { toServiceError } from '../transport/error-response.js';
import { prefersEvents } from '../transport/negotiate.js';
import { callerOf, type StepRequest } from '../transport/request.js';
import { whenClosed } from '../transport/respond.js';
import { sendEvents } from '../transport/stream.js';

export const replayedHeader = { 'Idempotency-Replayed': 'true' };

export interface Resumption {
  /** Undefined if the request has no Idempotency-Key. */
  scope: IdempotencyScope | undefined;
  body: string;
  lastEventId: string;
}

export interface StreamResumer {
  resume: (req: StepRequest, res: Response, resumption: Resumption) => Promise<void>;
  /** Sends the events after that position. */
  follow: (req: StepRequest, res: Response, position: Position) => Promise<void>;
}

export function preferencesOf({ headers }: StepRequest): ReadonlyMap<string, string> {
  return parsePreferences(String(headers['prefer'] ?? ''));
}

export interface ResumptionParts {
  records: IdempotencyRecords;
  streams: Streams;
  /** Of the database. */
  slots: FairQueue;
}

export function resumeStreams(
  { records, streams, slots }: ResumptionParts,
  bytesInFlight: BytesInFlight,
): StreamResumer {
  const following = createTally();

  const follow: StreamResumer['follow'] = async (req, res, position) => {
    const { accountId, limits } = callerOf(req);
    if (following.of(accountId) >= limits.concurrentInvocations) {
      throw tooManyInvocations('streams resumed', limits.concurrentInvocations);
    }
    // It is held for a look now and then, and not meanwhile.
    req.releaseSlot?.();
    following.add(accountId);
    const left = new AbortController();
    const isLastClient = preferencesOf(req).get('grace') === '0';
    const leave = () => {
      left.abort();
      if (isLastClient && !res.writableFinished) void streams.stop(position.claim);
    };
    whenClosed(res, leave);
    try {
      const follower = {
        look: <Found>(find: () => Promise<Found>) => inSlot(slots, accountId, find),
        memory: bytesInFlight.open(accountId),
      };
      const events = followStream(streams, position, follower, left.signal);
      const stream = { id: position.claim.owner, after: position.after };
      await sendEvents(res, { status: 200, headers: replayedHeader, events, stream }, (error) =>
        Promise.resolve(toServiceError(error)),
      );
    } finally {
      following.remove(accountId);
    }
  };

  return {
    async resume(req, res, { scope, body, lastEventId }) {
      if (!scope || !prefersEvents(req)) throw incomplete(scope);
      const found = await records.find(scope, body);
      const { owner, after } = parseEventId(lastEventId, found);
      const claim = { accountId: scope.accountId, id: recordIdOf(scope), owner };
      const current = found?.claim.owner === owner ? found : undefined;
      if (current?.outcome === 'mismatch') throw idempotencyMismatch();
      if (current?.outcome === 'dropped') throw responseDropped();
      const isKnown = (after > 0 && (await streams.has(claim, after))) || isBegun(current, after);
      if (!isKnown) throw unknownStream();
      const ended = current?.outcome === 'replay' ? { response: current.response } : {};
      await follow(req, res, { claim, after, ...ended });
    },
    follow,
  };
}

/** `0` is the beginning of whatever stream the key has. */
function parseEventId(id: string, found: RecordOutcome | undefined) {
  const dot = id.lastIndexOf('.');
  if (dot === -1) return { owner: found?.claim.owner ?? '', after: 0 };
  return { owner: id.slice(0, dot), after: Number(id.slice(dot + 1)) };
}

/** No events are stored of a response that was not a stream at first: the first of them is the whole of it. */
function isBegun(record: RecordOutcome | undefined, after: number): boolean {
  if (record?.outcome === 'running') return record.isStream && after === 0;
  return record?.outcome === 'replay' && record.response.status === 200 && after <= 1;
}

function incomplete(scope: IdempotencyScope | undefined) {
  return invalid({
    field: 'Last-Event-ID',
    error: scope
      ? 'resumes a stream only: send Accept: text/event-stream with it'
      : 'needs the Idempotency-Key of the request that it resumes',
  });
}
