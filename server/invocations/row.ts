/** The row of an invocation. Types and statements take its columns from these lists. */
import type { Invocation } from '../../generated/prisma/client.js';

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
} as const satisfies Partial<Record<keyof InvocationRow, string>>;

export interface QueuedInvocation
  extends InvocationRequest, Pick<InvocationRow, 'idempotencyId' | 'traceContext'> {
  message: string;
}

export interface ClaimedInvocation
  extends QueuedInvocation, Pick<InvocationRow, 'attempts' | 'hasActed'> {}

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
