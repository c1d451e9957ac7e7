/** Last-Event-ID: a client that lost its connection receives the rest of its stream instead of starting a second invocation. */
import type { Response } from 'express';
import {
  idempotencyMismatch,
  invalid,
  responseDropped,
  tooManyInvocations,
  unknownStream,
} from '../../contract/errors.js';
import type { Streams } from '../../invocations/streams/streams.js';
import type { BytesInFlight } from '../../lib/async/bytes-in-flight.js';
import type { FairQueue } from '../../lib/async/fair-queue.js';
import { parsePreferences } from '../../lib/net/preferences.js';
import { Counts } from '../../lib/data/counts.js';
import { followStream, type StreamPosition } from '../../invocations/streams/follow-stream.js';
import {
  type IdempotencyRecords,
  type IdempotencyScope,
  type RecordOutcome,
  recordIdOf,
} from '../../idempotency/records.js';
import { toServiceError } from '../transport/to-service-error.js';
import { prefersEvents } from '../transport/negotiate.js';
import { callerOf, type StepRequest } from '../transport/request.js';
import { whenClosed } from '../transport/respond.js';
import { sendEvents } from '../transport/stream.js';

export const replayedHeader = { 'Idempotency-Replayed': 'true' };

interface Resumption {
  /** Undefined if the request has no Idempotency-Key. */
  scope: IdempotencyScope | undefined;
  body: string;
  lastEventId: string;
}

interface StreamResumer {
  resume: (req: StepRequest, res: Response, resumption: Resumption) => Promise<void>;
  /** Sends the events after the position. */
  follow: (req: StepRequest, res: Response, position: StreamPosition) => Promise<void>;
}

export function preferencesOf({ headers }: StepRequest): ReadonlyMap<string, string> {
  return parsePreferences(String(headers['prefer'] ?? ''));
}

export interface ResumptionParts {
  records: IdempotencyRecords;
  streams: Streams;
  databaseSlots: FairQueue;
}

export function resumeStreams(
  { records, streams, databaseSlots }: ResumptionParts,
  bytesInFlight: BytesInFlight,
): StreamResumer {
  const following = new Counts();

  const follow: StreamResumer['follow'] = async (req, res, position) => {
    const { accountId, limits } = callerOf(req);
    if (following.of(accountId) >= limits.concurrentInvocations) {
      throw tooManyInvocations('streams resumed', limits.concurrentInvocations);
    }
    // Each query takes a slot of its own.
    req.releaseSlot?.();
    following.add(accountId, 1);
    const closed = new AbortController();
    const hasGrace = preferencesOf(req).get('grace') !== '0';
    whenClosed(res, () => {
      closed.abort();
      if (!hasGrace && !res.writableFinished) void streams.stop(position.claim);
    });
    try {
      const resources = {
        query: <Found>(find: () => Promise<Found>) => databaseSlots.run(accountId, find),
        memory: bytesInFlight.open(accountId),
      };
      const events = followStream(streams, position, resources, closed.signal);
      const stream = { id: position.claim.owner, after: position.after };
      await sendEvents(res, { status: 200, headers: replayedHeader, events, stream }, (error) =>
        Promise.resolve(toServiceError(error)),
      );
    } finally {
      following.add(accountId, -1);
    }
  };

  return {
    async resume(req, res, { scope, body, lastEventId }) {
      if (!scope || !prefersEvents(req)) throw missingHeader(scope);
      const found = await records.find(scope, body);
      const { owner, after } = parseEventId(lastEventId, found);
      const claim = { accountId: scope.accountId, id: recordIdOf(scope), owner };
      const current = found?.claim.owner === owner ? found : undefined;
      if (current?.outcome === 'mismatch') throw idempotencyMismatch();
      if (current?.outcome === 'dropped') throw responseDropped();
      const isKnown =
        (after > 0 && (await streams.has(claim, after))) || isWithinRecord(current, after);
      if (!isKnown) throw unknownStream();
      const ended = current?.outcome === 'replay' ? { response: current.response } : {};
      await follow(req, res, { claim, after, ...ended });
    },
    follow,
  };
}

/** `0` stands for the beginning of the stream that the key belongs to. */
function parseEventId(id: string, found: RecordOutcome | undefined) {
  const dot = id.lastIndexOf('.');
  if (dot === -1) return { owner: found?.claim.owner ?? '', after: 0 };
  return { owner: id.slice(0, dot), after: Number(id.slice(dot + 1)) };
}

/** Whether the position needs no stored events. A response that was not streamed has none: its first event carries all of its text. */
function isWithinRecord(record: RecordOutcome | undefined, after: number): boolean {
  if (record?.outcome === 'running') return record.isStream && after === 0;
  if (record?.outcome !== 'replay') return false;
  return after === 0 || (record.response.status === 200 && after === 1);
}

function missingHeader(scope: IdempotencyScope | undefined) {
  return invalid({
    field: 'Last-Event-ID',
    error: scope
      ? 'resumes only streams: send Accept: text/event-stream with it'
      : 'needs the Idempotency-Key of the request that it resumes',
  });
}
