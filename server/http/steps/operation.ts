/** Runs an operation for a validated request and writes its answer. */
import type { Response } from 'express';
import type { Logger } from 'pino';
import type { OperationResponse } from '../../operations/response.js';
import type { OperationContext } from '../../operations/context.js';
import { reportFault } from './errors.js';
import { prefersEvents } from '../transport/negotiate.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';
import { sendJson } from '../transport/respond.js';
import { sendEvents } from '../transport/stream.js';

/** Any function of `Operations`: which input it takes is the contract's business. */
export type AnyOperation = (input: never, context: OperationContext) => Promise<OperationResponse>;

export function runOperation(operation: AnyOperation, log: Logger): Step {
  return async (req, res) => {
    const answer = await operation(inputOf(req), contextOf(req, res));
    if ('events' in answer) {
      await sendEvents(res, answer, (fault) => reportFault(log, req, fault));
    } else {
      sendJson(res, answer.status, answer.body, answer.headers);
    }
  };
}

/** Validation has shown that the request is what the operation takes; this is where the compiler is told. */
function inputOf(req: StepRequest): never {
  const body: unknown = req.body;
  const input: unknown = { path: req.params, query: req.query, headers: req.headers, body };
  return input as never;
}

function contextOf(req: StepRequest, res: Response): OperationContext {
  if (!req.commit) throw new Error('This step must come after the idempotency step.');
  return {
    caller: callerOf(req),
    requestId: req.requestId,
    onDisconnect: (listener) => {
      const leave = () => {
        if (!res.writableFinished) listener();
      };
      if (res.closed) leave();
      else res.once('close', leave);
    },
    prefersEvents: prefersEvents(req),
    commit: req.commit,
    heldKey: req.heldKey,
  };
}
