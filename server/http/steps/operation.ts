/** Runs the operation for a validated request and sends its response. */
import type { Response } from 'express';
import type { Logger } from 'pino';
import type { AnyOperation } from '../../contract/operations.js';
import type { OperationContext } from '../../accounts/operation-context.js';
import type { BytesInFlight } from '../../lib/async/bytes-in-flight.js';
import { hopsIn } from '../../lib/net/trace-state.js';
import { reportError } from './errors.js';
import { prefersEvents } from '../transport/negotiate.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';
import { reserveUntilSent, sendSerialised, whenClosed } from '../transport/respond.js';
import { sendEvents } from '../transport/stream.js';

export function runOperation(
  operation: AnyOperation<OperationContext>,
  bytesInFlight: BytesInFlight,
  log: Logger,
): Step {
  return async (req, res) => {
    const response = await operation(inputOf(req), contextOf(req, res));
    // A client that reads slowly must not occupy the slot.
    req.releaseSlot?.();
    if ('events' in response) {
      await sendEvents(res, response, (error) => reportError(log, req, error));
      return;
    }
    const { status, body, headers, isMemoryReserved = false } = response;
    const text = JSON.stringify(body);
    if (!isMemoryReserved) {
      reserveUntilSent(res, text, bytesInFlight.open(callerOf(req).accountId));
    }
    sendSerialised(res, status, text, headers);
  };
}

/** The validator has checked that the request is the operation's input; the compiler cannot know that. */
function inputOf(req: StepRequest): never {
  const body: unknown = req.body;
  const { params, query, headers } = req;
  const input: unknown = { path: params, query, headers, body };
  return input as never;
}

function contextOf(req: StepRequest, res: Response): OperationContext {
  const { commit, releaseSlot } = req;
  if (!commit || !releaseSlot) throw new Error('This step must come after the idempotency step.');
  const onClose = (listener: () => void) => {
    whenClosed(res, listener);
  };
  return {
    caller: callerOf(req),
    requestId: req.requestId,
    token: req.token,
    hiddenAgents: req.hiddenAgents ?? [],
    trace: req.trace,
    hops: hopsIn(req.headers['tracestate']),
    onClose,
    onDisconnect: (listener) => {
      onClose(() => {
        if (!res.writableFinished) listener();
      });
    },
    prefersEvents: prefersEvents(req),
    commit,
    releaseSlot,
    idempotencyClaim: req.idempotencyClaim,
  };
}
