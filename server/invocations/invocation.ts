/** An invocation: its row, its input and its outcome. Types and statements take the columns of the row from these lists. */
import type { FinishReason, InvocationFailure, PendingApproval } from '../../generated/api.js';
import type { Invocation } from '../../generated/prisma/client.js';
import type { ActiveAgent } from '../agents/configurations.js';
import type { Step, TokenUsage } from '../models/model.js';
import type { Tokens } from '../models/token-usage.js';
import type { Trace } from '../telemetry/telemetry.js';

/** Prisma allows any JSON as context. */
type InvocationRow = Omit<Invocation, 'context'> & {
  context: Readonly<Record<string, unknown>> | null;
};

/** The primary key. */
export type InvocationKey = Pick<InvocationRow, 'accountId' | 'agentId' | 'id'>;

/** What is known when the request arrives. */
export const requestColumns = {
  id: 'text',
  agentId: 'text',
  environment: 'text',
  userId: 'text',
  sessionId: 'text',
  context: 'jsonb',
  createdBy: 'text',
  createdAt: 'timestamptz',
} as const satisfies Partial<Record<keyof InvocationRow, string>>;

export type InvocationRequest = Pick<InvocationRow, 'accountId' | keyof typeof requestColumns>;

/** What an asynchronous invocation needs in addition, to run later. */
export const queuedColumns = {
  ...requestColumns,
  message: 'text',
  idempotencyId: 'bytea',
  traceContext: 'text',
  hops: 'int',
  // Steps are stored. From the start if it goes on with a run, or needs the token of its request.
  hasActed: 'boolean',
  schedule: 'text',
} as const satisfies Partial<Record<keyof InvocationRow, string>>;

export interface QueuedInvocation
  extends
    InvocationRequest,
    Pick<InvocationRow, 'idempotencyId' | 'traceContext' | 'hops' | 'hasActed' | 'schedule'> {
  message: string;
}

export interface ClaimedInvocation extends QueuedInvocation, Pick<InvocationRow, 'attempts'> {
  /** Of its lease. */
  owner: string;
}

/** A queued invocation as statements return it. */
export const queuedFields = ['accountId', ...Object.keys(queuedColumns)];

/** What its end adds. */
export const outcomeColumns = {
  deploymentId: 'text',
  model: 'text',
  status: 'invocation_status',
  tokensUsed: 'int',
  durationMs: 'int',
  errorCode: 'text',
  finishedAt: 'timestamptz',
} as const satisfies Partial<Record<keyof InvocationRow, string>>;

export interface EndedInvocation
  extends InvocationRequest, Pick<InvocationRow, keyof typeof outcomeColumns> {
  model: string;
  status: 'succeeded' | 'failed';
  durationMs: number;
  finishedAt: Date;
}

/** An invocation before it has run. Its id is the request's; `createdBy` is the id of the API key, or null for a token or a schedule. */
export interface InvocationInput extends InvocationRequest {
  agent: ActiveAgent;
  message: string;
  /** The trace of the request; undefined if it is not traced. */
  trace?: Trace;
  /** The name of the schedule that made it; null or missing for a request. */
  schedule?: string | null;
  /** How many runs of agents have led to the request, over HTTP; by default none. */
  hops?: number;
  /** Set if another agent asked. */
  asked?: AskedBy | undefined;
}

/** The invocation that asks another agent. */
export interface AskedBy {
  requestId: string;
  agentId: string;
  /** 1 if nobody asked the one that asks. */
  depth: number;
}

/** The invocation of an agent that was asked. */
export interface AskedRun {
  requestId: string;
  agentId: string;
  /** With those of the agents that it asked itself. */
  tokens: Tokens;
}

/** Whether messages and the user's identity may be stored. A request can forbid what the agent allows, but not the reverse. */
export function isRemembered({ agent, context }: InvocationInput): boolean {
  return agent.options.remember !== false && context?.['remember'] !== false;
}

export interface Completion {
  /** As far as it goes, if calls wait for approval. */
  response: string;
  /** Its own, without those of agents that it asked; `usage` likewise. */
  tokensUsed: number;
  /** Undefined if calls wait for approval. */
  finishReason: FinishReason | undefined;
  /** The calls that wait; empty if the agent has answered. */
  approvals: readonly PendingApproval[];
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
  /** True: repeats get it, even if no tool was called. */
  isFinal?: true;
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
  /** With those of the agents that it asked: what the caller is told. */
  total: Tokens;
  /** Whether tools were called. */
  hasActed: boolean;
  durationMs: number;
  finishedAt: Date;
};

/** A completion as the caller receives it. */
export interface InvocationResult extends Completion, Pick<InvocationOutcome, 'total'> {
  requestId: string;
  durationMs: number;
}
