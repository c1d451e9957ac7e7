/** The fields that steps of the pipeline set on a request for later steps. */
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { Route } from '../../../generated/operations.js';
import type { Caller } from '../../accounts/caller.js';
import type { AgentPolicy } from '../../access/policies.js';
import type { Trace } from '../../telemetry/telemetry.js';
import type { OperationContext } from '../../accounts/operation-context.js';

/** A step of the pipeline: Express middleware whose path parameters have one value each. */
export type Step = RequestHandler<Record<string, string>>;
/** A step that only the errors of the steps before it pass through. */
export type ErrorStep = ErrorRequestHandler<Record<string, string>>;
export type StepRequest = Request<Record<string, string>>;

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
    /** Set if the request is traced. */
    trace?: Trace;
    /** Set when a route has matched. */
    operation?: Route;
    /** Set when the body is read. Only the first problem of a large body is reported. */
    hasLargeBody?: boolean;
    /** Set by authentication. */
    caller?: Caller;
    /** Set by authentication with a token, which it is. */
    token?: string;
    /** Set while the request holds a database slot. */
    releaseSlot?: (() => void) | undefined;
    /** Set by the policy step, for a request about an agent that the caller may see. */
    agentPolicy?: AgentPolicy;
    /** Set for lists of the whole account: the agents whose settings reject the request. */
    hiddenAgents?: string[];
    /** Set by the policy step: makes the one-time code usable again when the operation fails. */
    releaseOneTimeCode?: () => Promise<void>;
    /** Set by the idempotency step: commits the operation's effect and its response in one transaction. */
    commit?: OperationContext['commit'];
    /** Set by the idempotency step, for operations that complete the claim in their own statement. */
    idempotencyClaim?: OperationContext['idempotencyClaim'];
    /** Set by the idempotency step: releases the key when the operation fails. */
    releaseIdempotencyKey?: () => Promise<void>;
  }
}

export function callerOf(req: StepRequest): Caller {
  if (!req.caller) throw new Error('This step must come after authentication.');
  return req.caller;
}
