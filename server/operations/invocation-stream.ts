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

/** Events are queued, so that a slow client does not slow down the invocation. */
export function stream(run: Run, { onDisconnect }: Client) {
  const events = createEventQueue<InvocationEvent>();
  return respond(events, (admitted) => run({ admitted, push: events.push }, { onDisconnect }));
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
  const client: Client = {
    onDisconnect: (stop) => {
      unregisterStop = streams.onStop(claim, stop);
      onDisconnect(() => {
        void (hasGrace ? streams.stopUnlessFollowed(claim) : streams.stop(claim));
      });
    },
  };
  return respond(events, (admitted) => {
    const running = run({ ...recording, admitted }, client)
      .catch(async (error: unknown) => {
        if (error instanceof ServiceError && error.code === 'not_found') await recording.discard();
        throw error;
      })
      .finally(() => {
        unregisterStop?.();
        void recording.end();
      });
    claim.holdUntil(running);
    return running;
  });
}

/**
 * Resolves as soon as the invocation is admitted, so that the client gets the headers, and then pings, while the model
 * thinks or the session waits for its turn. Rejects before that, which becomes an ordinary error response; later
 * failures end the events.
 */
async function respond(
  events: EventQueue<InvocationEvent>,
  start: (admitted: () => void) => Promise<Invocation>,
) {
  let admitted: () => void = () => undefined;
  const admission = new Promise<void>((resolve) => {
    admitted = resolve;
  });
  const running = start(admitted);
  running.then((data) => {
    events.push({ event: 'done', data });
    events.end();
  }, events.fail);
  await Promise.race([admission, running]);
  return { status: 200, events } as const;
}
