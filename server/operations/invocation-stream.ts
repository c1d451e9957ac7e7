/** The streamed form of Invoke Agent, with and without the possibility to resume the stream. */
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import { ServiceError } from '../domain/errors.js';
import type { EventSink } from '../domain/invocations/invocations.js';
import type { RecordedInvocation, Streams } from '../domain/invocations/streams.js';
import { createEventQueue, type EventQueue } from '../lib/async/event-queue.js';
import type { IdempotencyClaim, OperationContext } from './context.js';

type Client = Pick<OperationContext, 'onDisconnect'>;

/** Runs the invocation, sends its events to the sink, and stops when the client disconnects. */
export type Run = (sink: EventSink, client: Client) => Promise<Invocation>;

/**
 * Events are queued, so that a slow client does not slow down the invocation. A failure before the first event is
 * thrown, and becomes an ordinary error response.
 */
export function stream(run: Run, { onDisconnect }: Client) {
  const events = createEventQueue<InvocationEvent>();
  return respond(events, run({ push: events.push }, { onDisconnect }));
}

interface ResumableOptions {
  streams: Streams;
  claim: IdempotencyClaim;
  invocation: RecordedInvocation;
  /** Whether the invocation continues for a grace period after the client disconnects. */
  hasGrace: boolean;
}

/** During the grace period the client can resume the stream, which keeps the invocation running. */
export function streamResumably(
  run: Run,
  { onDisconnect, onClose }: Pick<OperationContext, 'onDisconnect' | 'onClose'>,
  { streams, claim, invocation, hasGrace }: ResumableOptions,
) {
  const events = createEventQueue<InvocationEvent>();
  let isOpen = true;
  onClose(() => {
    isOpen = false;
  });
  const recording = streams.record(claim, invocation, (event) => {
    if (isOpen) events.push(event);
  });
  let unregisterStop: (() => void) | undefined;
  const running = run(recording, {
    onDisconnect: (stop) => {
      unregisterStop = streams.onStop(claim, stop);
      onDisconnect(() => {
        void (hasGrace ? streams.stopUnlessFollowed(claim) : streams.stop(claim));
      });
    },
  })
    .catch(async (error: unknown) => {
      if (error instanceof ServiceError && error.code === 'not_found') await recording.discard();
      throw error;
    })
    .finally(() => {
      unregisterStop?.();
      void recording.end();
    });
  claim.holdUntil(running);
  return respond(events, running);
}

async function respond(events: EventQueue<InvocationEvent>, running: Promise<Invocation>) {
  running.then((data) => {
    events.push({ event: 'done', data });
    events.end();
  }, events.fail);
  await events.ready();
  return { status: 200, events } as const;
}
