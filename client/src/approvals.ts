/** Calls that go on with an invocation or stop it. Both are forms of Invoke Agent. */
import type { ApiPromise } from './api-promise.js';
import type { Agents, InvokeAgentOptions } from './generated/resources.js';
import type {
  AcceptedInvocation,
  AgentReference,
  ApprovalDecision,
  InvocationContext,
  InvocationRequest,
  RequestId,
} from './generated/schema.js';
import type { InvocationResult } from './invocation.js';
import type { InvocationStream } from './streaming.js';

/** What happens to a pending call. The agent is told the reason of a rejection. */
export type Decision = 'approve' | 'reject' | { reject: string };

/** A decision for each pending call, by its `call_id`. */
export type Decisions = Record<string, Decision>;

export interface ResumeOptions extends InvokeAgentOptions {
  /** The user's next turn: by default `Approved.`, `Rejected.` or, if the decisions differ, `Decided.` */
  message?: string | undefined;
  /** By default the user and the session of the waiting invocation. */
  context?: InvocationContext | undefined;
}

export interface CancelOptions extends InvokeAgentOptions {
  /** The key of the call to cancel. */
  idempotencyKey: string;
}

export interface AgentMethods extends Agents {
  readonly resume: {
    /**
     * Decide pending tool calls
     *
     * Decides the calls of an invocation with the status `requires_approval`, all of them at once, and continues it as
     * an invocation of its own. Approved calls are made, and the agent is told of rejected ones. Rejects with a
     * `ConflictError` if the calls were decided before or have expired, and with a `ForbiddenError` if `approver` asks
     * for a permission that the key lacks.
     *
     * @param agentId The agent's id or name.
     * @param requestId The id of the waiting invocation.
     * @param decisions A decision for each of its `approvals`, by `call_id`.
     */
    (
      agentId: AgentReference,
      requestId: RequestId,
      decisions: Decisions,
      options?: ResumeOptions & { stream?: false | undefined },
    ): ApiPromise<InvocationResult>;
    /** Decide pending tool calls, streamed: the reply piece by piece, then the whole result. */
    (
      agentId: AgentReference,
      requestId: RequestId,
      decisions: Decisions,
      options: ResumeOptions & { stream: true },
    ): InvocationStream;
  };
  /**
   * Cancel an invocation
   *
   * Stops the invocation of an earlier call, on whatever instance it runs, or closes it if it waits for approval. Pass
   * what that call passed: the same body and `idempotencyKey`. If it had already ended, you get its result or error;
   * rejects with a `NotFoundError` if no call has the key. Nothing is run in any case.
   *
   * @param agentId The agent's id or name.
   * @param body The body of the call to cancel.
   */
  readonly cancel: (
    agentId: AgentReference,
    body: InvocationRequest,
    options: CancelOptions,
  ) => ApiPromise<AcceptedInvocation | InvocationResult>;
}

export function withApprovals(agents: Agents): AgentMethods {
  const { invoke } = agents;
  function resume(
    agentId: AgentReference,
    requestId: RequestId,
    given: Decisions,
    options?: ResumeOptions & { stream?: false | undefined },
  ): ApiPromise<InvocationResult>;
  function resume(
    agentId: AgentReference,
    requestId: RequestId,
    given: Decisions,
    options: ResumeOptions & { stream: true },
  ): InvocationStream;
  function resume(
    agentId: AgentReference,
    requestId: RequestId,
    given: Decisions,
    { message, context, stream, ...options }: ResumeOptions & { stream?: boolean | undefined } = {},
  ): InvocationStream | ApiPromise<InvocationResult> {
    const decisions = Object.entries(given).map(toDecision);
    const body = {
      message: message ?? describe(decisions),
      ...(context && { context }),
      resume: { request_id: requestId, decisions },
    };
    return stream ? invoke(agentId, body, { ...options, stream }) : invoke(agentId, body, options);
  }
  return {
    ...agents,
    resume,
    cancel: (agentId, body, options) =>
      invoke(agentId, body, { ...options, headers: { ...options.headers, prefer: 'cancel' } }),
  };
}

function toDecision([call_id, decision]: [string, Decision]): ApprovalDecision {
  if (typeof decision === 'string') return { call_id, decision };
  return { call_id, decision: 'reject', ...(decision.reject && { note: decision.reject }) };
}

function describe(decisions: ApprovalDecision[]): string {
  const [kind, otherKind] = new Set(decisions.map(({ decision }) => decision));
  if (otherKind) return 'Decided.';
  return kind === 'approve' ? 'Approved.' : 'Rejected.';
}
