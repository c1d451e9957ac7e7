/** The input and the outcome of an invocation. */
import type { InvocationFailure } from '../../../generated/api.js';
import type { Trace } from '../../observability/telemetry.js';
import type { ActiveAgent } from '../../store/agents/agents.js';

export interface InvocationInput {
  /** The id of the request. */
  id: string;
  agent: ActiveAgent;
  message: string;
  context: Readonly<Record<string, unknown>> | null;
  userId: string | null;
  sessionId: string | null;
  /** The id of the API key; null for a token. */
  createdBy: string | null;
  createdAt: Date;
  /** Of the request; undefined if it was not traced. */
  trace?: Trace;
}

/** Whether anything of who said what may be kept once it has ended. The request can forbid it, but not allow it. */
export function isRemembered({ agent, context }: InvocationInput): boolean {
  return agent.options.remember !== false && context?.['remember'] !== false;
}

export interface Completion {
  response: string;
  tokensUsed: number;
  /** The model that answered: the agent's own, or a fallback. */
  model: string;
}

export interface Failure {
  code: InvocationFailure['code'];
  /** For the caller. */
  message: string;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** For the agent's log, in words of the service. */
  reason: string;
  /** What a provider or tool said of it, for the agent's log if the invocation may be remembered. */
  said?: string | undefined;
  /** An internal error, for the log of the service. */
  cause?: unknown;
}

export type RunResult = { completion: Completion } | { failure: Failure };

/** The result, with its time and what is known of the tokens used, also for nothing; null: nothing is. */
export type InvocationOutcome = RunResult & {
  tokensUsed: number | null;
  durationMs: number;
  finishedAt: Date;
};

/** What the caller gets of a completion. */
export interface InvocationResult extends Completion {
  requestId: string;
  durationMs: number;
}
