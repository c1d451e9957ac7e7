/** An invocation and how it may end. */
import type { InvocationFailure } from '../../../generated/api.js';
import type { ActiveAgent } from '../../store/agents.js';

export interface InvocationInput {
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

export interface Completion {
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

export type RunResult = { completion: Completion } | { failure: Failure };

/** How it ended and when. */
export type InvocationOutcome = RunResult & { durationMs: number; finishedAt: Date };

/** What the caller is told of an answer. */
export interface InvocationResult extends Completion {
  requestId: string;
  durationMs: number;
}
