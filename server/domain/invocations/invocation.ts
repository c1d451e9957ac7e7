/** An invocation and how it may end. */
import type { InvocationFailure } from '../../../generated/api.js';
import type { ActiveAgent } from '../../store/agent-configurations.js';

export interface Invocation {
  /** The id of the request. */
  id: string;
  agent: ActiveAgent;
  message: string;
  context: Readonly<Record<string, unknown>> | null;
  userId: string | null;
  sessionId: string | null;
  /** The key that asked for it, if it was a key. */
  createdBy: string | null;
  createdAt: Date;
}

export interface Answer {
  response: string;
  tokensUsed: number;
}

export interface Failure {
  code: InvocationFailure['code'];
  /** For whoever called. */
  message: string;
  /** Seconds to wait before the next try. */
  retryAfter?: number;
  /** What lay behind it, for the agent's log. */
  reason: string;
  /** A fault of ours, for the log of the service. */
  cause?: unknown;
}

export type Ending = { answer: Answer } | { failure: Failure };

/** How it ended and when. */
export type Outcome = Ending & { durationMs: number; finishedAt: Date };

/** What the caller is told of an answer. */
export interface InvocationResult extends Answer {
  requestId: string;
  durationMs: number;
}
