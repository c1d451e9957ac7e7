/** The input and the outcome of an invocation. */
import type { FinishReason, InvocationFailure } from '../../generated/api.js';
import type { Trace } from '../telemetry/telemetry.js';
import type { Step, TokenUsage } from '../models/model.js';
import type { ActiveAgent } from '../agents/agent-rows.js';
import type { InvocationRequest } from './row.js';

/** An invocation before it has run. Its id is the request's; `createdBy` is the id of the API key, or null for a token. */
export interface InvocationInput extends InvocationRequest {
  agent: ActiveAgent;
  message: string;
  /** The trace of the request; undefined if it is not traced. */
  trace?: Trace;
}

/** Whether messages and the user's identity may be stored. A request can forbid what the agent allows, but not the reverse. */
export function isRemembered({ agent, context }: InvocationInput): boolean {
  return agent.options.remember !== false && context?.['remember'] !== false;
}

export interface Completion {
  response: string;
  tokensUsed: number;
  finishReason: FinishReason;
  usage: TokenUsage;
  /** The tool calls and corrections on the way to the answer. */
  steps: readonly Step[];
  /** The model that answered: the agent's own, or a fallback. */
  model: string;
}

export interface Failure {
  code: InvocationFailure['code'];
  /** For the caller. */
  message: string;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** False: a repeat is useless or dangerous. */
  retryable?: false;
  /** The service's own description, for the agent's log. */
  reason: string;
  /** The text of a provider or tool, for the agent's log if the invocation is remembered. */
  said?: string | undefined;
  /** An internal error, for the service's log. */
  cause?: unknown;
}

export type RunResult = { completion: Completion } | { failure: Failure };

export type InvocationOutcome = RunResult & {
  /** Includes tokens of failed calls; null if unknown. */
  tokensUsed: number | null;
  /** Whether tools were called. */
  hasActed: boolean;
  durationMs: number;
  finishedAt: Date;
};

/** A completion as the caller receives it. */
export interface InvocationResult extends Completion {
  requestId: string;
  durationMs: number;
}
