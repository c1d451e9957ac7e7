/** What invocations return: results, and the events of streams. */
import type {
  Invocation,
  InvocationDeltaEvent,
  InvocationDoneEvent,
  InvocationToolEvent,
  PendingApprovals,
} from './generated/schema.js';

/** The agent has replied. */
export interface CompletedInvocation extends Invocation {
  status: 'completed';
  approvals?: never;
}

/** The agent goes on once its pending tool calls are decided with `client.agents.resume`. */
export interface PausedInvocation extends Invocation {
  status: 'requires_approval';
  finish_reason?: never;
  approvals: PendingApprovals;
}

/** `status` is the discriminator. */
export type InvocationResult = CompletedInvocation | PausedInvocation;

export type InvocationDelta = InvocationDeltaEvent['data'];

/** The last event of a stream. */
export interface InvocationResultEvent extends InvocationDoneEvent {
  data: InvocationResult;
}

/** An event of a stream; `event` is the discriminator. An `error` event is thrown instead. */
export type InvocationStreamEvent =
  InvocationDeltaEvent | InvocationToolEvent | InvocationResultEvent;
