/** Maps errors to failures of an invocation, and failures to the errors that callers receive. */
import { ModelFailure, type Upstream } from '../../runtime/model.js';
import { isStoreUnavailable } from '../../store/postgres/errors.js';
import { constraints } from '../../../generated/constraints.js';
import { formatSeconds, ServiceError, serverError, unavailable } from '../errors.js';
import { BudgetUsedUp } from './budget.js';
import { Interruption } from './interruption.js';
import type { Failure } from './invocation.js';

const { maximum: maxRetryAfter } = constraints.ErrorDetail.properties.retry_after;

export function toFailure(error: unknown, timeoutMs: number): Failure {
  if (error instanceof ModelFailure) return modelFailure(error);
  if (error instanceof Interruption) return interruption(error, timeoutMs);
  if (error instanceof BudgetUsedUp) return budgetUsedUp(error);
  return isStoreUnavailable(error)
    ? { ...temporarilyUnavailable(error), reason: 'the database is unavailable' }
    : serviceFailure('an internal error of the service', error);
}

export function serviceFailure(reason: string, cause?: unknown): Failure {
  return { code: 'server_error', message: serverError(cause).message, reason, cause };
}

const upstreamNames: Record<Upstream, string> = {
  provider: 'The model provider',
  endpoint: "The agent's endpoint",
  'MCP server': 'An MCP server of the agent',
};

function modelFailure(failure: ModelFailure): Failure {
  const { message, rateLimited, retryAfterMs, said, explanation } = failure;
  const upstream = upstreamNames[failure.upstream];
  if (failure.promptTooLong) return { ...messageTooLong, reason: message, said };
  if (!rateLimited) {
    return {
      code: 'upstream_error',
      message: explanation ?? `${upstream} failed to answer.`,
      reason: message,
      said,
    };
  }
  const seconds = Math.ceil((retryAfterMs ?? 5_000) / 1000);
  const retryAfter = Math.min(maxRetryAfter, Math.max(1, seconds));
  return {
    code: 'unavailable',
    message: `${upstream} is limiting its rate. Retry in ${formatSeconds(retryAfter)}.`,
    retryAfter,
    reason: message,
    said,
  };
}

const messageTooLong = {
  code: 'payload_too_large',
  message:
    "The message is too long for the context window of the agent's model. Send a shorter one.",
  retryable: false,
} as const;

function budgetUsedUp({ budget }: BudgetUsedUp): Failure {
  const { owner, tokens, window, renewsAt, retryAfter } = budget;
  const used = `${owner} has used its budget of ${tokens} tokens in ${window}`;
  const renewal = `renews at ${renewsAt.toISOString()}`;
  return {
    code: 'rate_limited',
    message: `The ${used}. It ${renewal}, in ${formatSeconds(retryAfter)}.`,
    retryAfter,
    reason: `the ${used}, which ${renewal}`,
  };
}

function interruption({ kind }: Interruption, timeoutMs: number): Failure {
  switch (kind) {
    case 'timeout':
      return {
        code: 'timeout',
        message: `The agent did not answer within ${formatSeconds(timeoutMs / 1000)}.`,
        reason: `no answer within ${timeoutMs} ms`,
      };
    case 'cancelled':
      return {
        code: 'cancelled',
        message: 'The caller disconnected before the agent answered.',
        reason: 'the caller disconnected',
      };
    case 'session_lost':
      return { ...temporarilyUnavailable(), reason: 'its session lease expired' };
    case 'work_lost':
      return { ...temporarilyUnavailable(), reason: 'the lease of its worker expired' };
    case 'overloaded':
      return { ...temporarilyUnavailable(), reason: 'too many long responses at a time' };
    case 'stopping':
      return { ...temporarilyUnavailable(), reason: 'the service was stopped' };
  }
}

function temporarilyUnavailable(cause?: unknown): Omit<Failure, 'reason'> {
  const { message, retryAfter = 1 } = unavailable(cause);
  return { code: 'unavailable', message, retryAfter, cause };
}

/** The error for the caller, and for repeats of the request. */
export function errorOf({ code, message, retryAfter, retryable, cause }: Failure): ServiceError {
  return new ServiceError(code === 'cancelled' ? 'conflict' : code, message, {
    cause,
    retryable,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

export const cancelledByOperator: Failure = {
  code: 'cancelled',
  message: 'The operator cancelled the invocation. Send it again with a new Idempotency-Key.',
  reason: 'the operator cancelled it',
};

/** The service stopped or crashed during the run. */
export const interruptedAfterTools: Failure = {
  code: 'unavailable',
  message:
    'The service was interrupted after the agent had called a tool. Tool calls are never repeated automatically. Send it again with a new Idempotency-Key.',
  retryAfter: 1,
  reason: 'it was interrupted after a tool had been called, so it is not run again',
};
