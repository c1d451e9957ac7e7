/** The streamed form of Invoke Agent: its events, for a client that stays, and for one that may come back. */
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import { ServiceError } from '../domain/errors.js';
import type { EventSink } from '../domain/invocations/invocations.js';
import type { RecordedInvocation, Streams } from '../domain/invocations/streams.js';
import { createEventQueue, type EventQueue } from '../lib/async/event-queue.js';
import type { IdempotencyClaim, OperationContext } from './context.js';

type Disconnect = Pick<OperationContext, 'onDisconnect'>;

/** Runs the invocation with that sink, and stops it when its client is gone. */
export type Run = (sink: EventSink, client: Disconnect) => Promise<Invocation>;

/**
 * Events are queued, so that a slow client does not slow down the invocation. A failure before the first event is
 * thrown, and becomes an ordinary error response.
 */
export function stream(run: Run, { onDisconnect }: Disconnect) {
  const events = createEventQueue<InvocationEvent>();
  return respond(events, run({ push: events.push }, { onDisconnect }));
}

export interface ResumableOptions {
  streams: Streams;
  claim: IdempotencyClaim;
  invocation: RecordedInvocation;
  /** Whether the client may come back if it leaves. */
  hasGrace: boolean;
}

/** The invocation goes on for a while if its client leaves, and longer if the stream is followed from elsewhere. */
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
  let forgetStop: (() => void) | undefined;
  const running = run(recording, {
    onDisconnect: (stop) => {
      forgetStop = streams.onStop(claim, stop);
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
      forgetStop?.();
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
