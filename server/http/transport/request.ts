/** What the steps of the pipeline learn about a request and leave for those that follow. */
import type { Request, RequestHandler } from 'express';
import type { Caller } from '../../domain/caller.js';
import type { AgentPolicy } from '../../domain/policy/policies.js';
import type { OperationContext } from '../../operations/context.js';

/** A step of the pipeline. Its path parameters are one value each. */
export type Step = RequestHandler<Record<string, string>>;
export type StepRequest = Request<Record<string, string>>;

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
    /** Set by authentication. */
    caller?: Caller;
    /** Set when the account has used up its requests: seconds until the next one is allowed. */
    retryAfter?: number;
    /** Set by the policy step, for a request about an agent that the caller may see. */
    agentPolicy?: AgentPolicy;
    /** Set by the idempotency step: commits the operation's effect and its answer together. */
    commit?: OperationContext['commit'];
    /** Set by the idempotency step, for operations that settle the key in a statement of their own. */
    heldKey?: OperationContext['heldKey'];
    /** Set by the idempotency step: frees the key again, for when the operation fails. */
    release?: () => Promise<void>;
  }
}

export function callerOf(req: StepRequest): Caller {
  if (!req.caller) throw new Error('This step must come after authentication.');
  return req.caller;
}
