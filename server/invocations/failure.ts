/** Maps errors to failures of an invocation, and failures to the errors that callers receive. */
import { ExpectedError } from '../lib/errors/expected-error.js';
import { ModelFailure, type Upstream } from '../models/model.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import { constraints } from '../../generated/constraints.js';
import {
  ClientDisconnected,
  formatSeconds,
  ServiceError,
  serverError,
  unavailable,
} from '../contract/errors.js';
import { BudgetUsedUp } from './budget.js';
import { Interruption } from './interruption.js';
import type { Failure } from './invocation.js';

const { maximum: maxRetryAfter } = constraints.ErrorDetail.properties.retry_after;

interface FailedRun {
  timeoutMs: number;
  /** Whether tools were called. */
  hasActed: boolean;
  /** Whether another agent asked, which has no request to repeat. */
  isAsked?: boolean;
}

export function toFailure(
  error: unknown,
  { timeoutMs, hasActed, isAsked = false }: FailedRun,
): Failure {
  const { onceActed, retryAfter, ...failure } = describe(error, timeoutMs);
  if (!hasActed) return retryAfter === undefined ? failure : { ...failure, retryAfter };
  const remains = isAsked ? effectsRemain : toolsWereCalled;
  return { ...failure, message: `${onceActed ?? failure.message} ${remains}`, retryable: false };
}

const effectsRemain = 'The agent had called tools, whose effects remain.';
const toolsWereCalled =
  'The agent had called tools, whose effects remain, so this request is not run again. To run it again, send a new Idempotency-Key.';

/** An agent that another one asked cannot wait: nobody would learn what to approve. */
export class CannotWait extends ExpectedError {
  override readonly name = 'CannotWait';
  readonly tools: readonly string[];

  constructor(tools: readonly string[]) {
    super('The agent needs approval, and was asked by another one.');
    this.tools = tools;
  }
}

/** `onceActed` is the message without advice to repeat the request, which does not help once tools have been called. */
type DescribedFailure = Failure & { onceActed?: string };

function describe(error: unknown, timeoutMs: number): DescribedFailure {
  if (error instanceof ModelFailure) return modelFailure(error);
  if (error instanceof Interruption) return interruption(error, timeoutMs);
  if (error instanceof BudgetUsedUp) return budgetUsedUp(error);
  if (error instanceof CannotWait) return cannotWait(error);
  return isStoreUnavailable(error)
    ? temporarilyUnavailable('the database is unavailable', error)
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

function modelFailure(failure: ModelFailure): DescribedFailure {
  const { message, rateLimited, retryAfterMs, said, explanation } = failure;
  const upstream = upstreamNames[failure.upstream];
  if (failure.kind === 'context_length') return { ...messageTooLong, reason: message, said };
  const isQuota = failure.kind === 'quota';
  if (!rateLimited) {
    return {
      code: 'upstream_error',
      message:
        explanation ?? `${upstream}${isQuota ? "'s quota is used up" : ' failed to answer'}.`,
      // A repeat would fail again, or repeat what was repeated already.
      ...(failure.retryable && !failure.wasRetried ? {} : { retryable: false }),
      reason: message,
      said,
    };
  }
  const seconds = Math.ceil((retryAfterMs ?? 5_000) / 1000);
  const retryAfter = Math.min(maxRetryAfter, Math.max(1, seconds));
  const limiting = `${upstream} is limiting its rate.`;
  return {
    code: 'unavailable',
    message: `${limiting} Retry in ${formatSeconds(retryAfter)}.`,
    onceActed: limiting,
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

function cannotWait({ tools }: CannotWait): DescribedFailure {
  const names = tools.join(', ');
  return {
    code: 'cancelled',
    message: `The agent needs approval to call ${names}. It cannot wait for that when another agent asks it, so nothing was called.`,
    onceActed: `The agent needs approval to call ${names}. It cannot wait for that when another agent asks it.`,
    reason: `it needs approval to call ${names}, and another agent asked it`,
  };
}

function interruption({ kind }: Interruption, timeoutMs: number): DescribedFailure {
  switch (kind) {
    case 'timeout':
      return {
        code: 'timeout',
        message: `The agent did not answer within ${formatSeconds(timeoutMs / 1000)}.`,
        reason: `no answer within ${timeoutMs} ms`,
      };
    case 'disconnected':
      return {
        code: 'cancelled',
        message: 'The caller disconnected before the agent answered.',
        reason: 'the caller disconnected',
      };
    case 'cancelled':
      return cancelledBy('caller');
    case 'asker_ended':
      return {
        code: 'cancelled',
        message: 'The invocation that asked the agent ended before the agent answered.',
        reason: 'the invocation that asked it ended',
      };
    case 'session_lost':
      return temporarilyUnavailable('its session lease expired');
    case 'work_lost':
      return temporarilyUnavailable('the lease of its worker expired');
    case 'key_lost':
      return temporarilyUnavailable('the lease of its Idempotency-Key expired');
    case 'overloaded':
      return temporarilyUnavailable('too many long responses at a time');
    case 'stopping':
      return temporarilyUnavailable('the service was stopped');
  }
}

function temporarilyUnavailable(reason: string, cause?: unknown): DescribedFailure {
  const { message, retryAfter = 1 } = unavailable(cause);
  return { code: 'unavailable', message, onceActed: interrupted, retryAfter, reason, cause };
}

const interrupted = 'The service was interrupted while it ran the agent.';

/** The error for the caller, and for repeats of the request. */
export function errorOf({ code, message, retryAfter, retryable, cause }: Failure): ServiceError {
  return new ServiceError(code === 'cancelled' ? 'conflict' : code, message, {
    cause,
    retryable,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/**
 * The error for the client of a synchronous invocation, which is cancelled only when that client disconnects. An error that says not to
 * repeat the request is for its repeats.
 */
export function errorForClient(failure: Failure): ServiceError | ClientDisconnected {
  const isForRepeats = failure.retryable === false;
  return failure.code === 'cancelled' && !isForRepeats
    ? new ClientDisconnected(failure.message)
    : errorOf(failure);
}

/** On request. */
export const cancelledBy = (who: 'caller' | 'operator'): Failure => ({
  code: 'cancelled',
  message: 'The invocation was cancelled. Send it again with a new Idempotency-Key.',
  retryable: false,
  isFinal: true,
  reason: `the ${who} cancelled it`,
});

/** For the caller of a run that was interrupted after it had called tools. */
export function goesOnLater(cause: unknown): ServiceError {
  const message = `${interrupted} Repeat the request with the same Idempotency-Key: it goes on after the last step that was stored.`;
  return new ServiceError('unavailable', message, {
    retryAfter: 1,
    ...(isStoreUnavailable(cause) ? { cause } : {}),
  });
}

/** Nobody decided in time. */
export const approvalExpired: Failure = {
  code: 'timeout',
  message: 'The tool calls of the invocation were not approved in time, and were not made.',
  retryable: false,
  reason: 'its calls were not approved in time',
};

/** What other processes of the run have done is not known. */
export const stepsMissing: Failure = {
  code: 'unavailable',
  message: `${interrupted} ${toolsWereCalled}`,
  retryable: false,
  isFinal: true,
  reason: 'it was interrupted after a tool had been called, and its steps are gone',
};
