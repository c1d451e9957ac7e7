/** A message and its reply. */
import type {
  Invocation,
  InvocationRequest,
  InvocationToolCall,
  PendingApproval,
} from '../../../src/index.js';
import type { Problem } from '../../api/problem.js';

export interface Exchange {
  id: string;
  request: InvocationRequest;
  /** The part of the reply that has arrived. */
  reply: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  /** The user has asked to stop it, and the service has not confirmed that yet. */
  isStopping: boolean;
  toolCalls: InvocationToolCall[];
  /** The calls that the agent makes only after a decision. */
  approval: Approval | undefined;
  requestId: string | undefined;
  tokens: number | undefined;
  usage: Invocation['usage'];
  finishReason: Invocation['finish_reason'];
  durationMs: number | undefined;
  problem: Problem | undefined;
  stop: () => void;
}

/** The calls of a reply that waits. */
export interface Approval {
  calls: PendingApproval[];
  /** `decided` once the service has accepted the decisions; `closed` if it says that it takes none. */
  state: 'open' | 'sending' | 'decided' | 'closed';
  /** The decisions that were sent last. If they have to be sent again, it is under the same key. */
  sent: SentRequest | undefined;
  problem: Problem | undefined;
}

export interface SentRequest {
  request: InvocationRequest;
  idempotencyKey: string;
}
