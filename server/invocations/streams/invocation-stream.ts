/** The streamed form of Invoke Agent, with and without the possibility to resume the stream. */
import type { Invocation, InvocationEvent } from '../../../generated/api.js';
import { ServiceError } from '../../contract/errors.js';
import type { EventReceiver } from '../call-agent.js';
import type { InvocationInput } from '../invocation.js';
import type { Streams } from './streams.js';
import { createEventQueue, type EventQueue } from '../../lib/async/event-queue.js';
import type { IdempotencyClaim, OperationContext } from '../../accounts/operation-context.js';

interface StreamOptions extends Pick<OperationContext, 'onDisconnect'> {
  onAdmitted: () => void;
  events: EventReceiver;
}

/** Runs the invocation, passes its events on, and stops when the client disconnects. */
export type RunStreamed = (options: StreamOptions) => Promise<Invocation>;

/** Events are queued, so that a slow client does not slow down the invocation. */
export function stream(run: RunStreamed, { onDisconnect }: OperationContext) {
  const events = createEventQueue<InvocationEvent>();
  return respond(events, (onAdmitted) =>
    run({ onAdmitted, onDisconnect, events: { push: events.push } }),
  );
}

interface ResumableStream {
  run: RunStreamed;
  context: OperationContext;
  streams: Streams;
  claim: IdempotencyClaim;
  invocation: InvocationInput;
  /** Whether the invocation continues for a grace period after the client disconnects. */
  hasGrace: boolean;
}

/** During the grace period the client can resume the stream, which keeps the invocation running. */
export function streamResumably({
  run,
  context: { onDisconnect, onClose },
  streams,
  claim,
  invocation,
  hasGrace,
}: ResumableStream) {
  const queue = createEventQueue<InvocationEvent>();
  let isOpen = true;
  onClose(() => {
    isOpen = false;
  });
  const send = (event: InvocationEvent) => {
    if (isOpen) queue.push(event);
  };
  const events = streams.record({ claim, invocation, send });
  let unregisterStop: (() => void) | undefined;
  const stopWithClient = (stop: () => void) => {
    unregisterStop = streams.onStop(claim, stop);
    onDisconnect(() => {
      void (hasGrace ? streams.stopUnlessFollowed(claim) : streams.stop(claim));
    });
  };
  return respond(queue, (onAdmitted) => {
    const running = run({ onAdmitted, onDisconnect: stopWithClient, events })
      .catch(async (error: unknown) => {
        if (error instanceof ServiceError && error.code === 'not_found') await events.discard();
        throw error;
      })
      .finally(() => {
        unregisterStop?.();
        void events.end();
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
