/** Turns errors into messages: what happened, what to do, and the request id. */
import {
  ApiError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  RateLimitedError,
  TimeoutError,
  UnauthorizedError,
  UnavailableError,
  UpstreamError,
} from '../../src/index.js';
import { recordMissingPermission } from './permissions.js';
import { endSession } from './session.js';

export interface Problem {
  title: string;
  advice: string;
  requestId: string | undefined;
  /** Milliseconds after which another attempt may succeed. */
  retryAfterMs: number | undefined;
}

const adviceByClass: [new (...parameters: never[]) => ApiError, string][] = [
  [ForbiddenError, 'Sign in with a key that has the permission, or ask an administrator for one.'],
  [NotFoundError, 'It may have been deleted, or this key has no access to it.'],
  [InvalidRequestError, 'Correct the named fields and try again.'],
  [ConflictError, 'The state has changed in the meantime. Check it and try again.'],
  [PayloadTooLargeError, 'Shorten the input.'],
  [RateLimitedError, 'The account has reached its rate limit. Wait, then try again.'],
  [UpstreamError, 'The log of the agent has the reason.'],
  [TimeoutError, 'The agent took too long. Try again with a smaller request.'],
  [UnavailableError, 'The service or the provider is busy or restarting. Try again in a moment.'],
];

/** The page sends nothing again by itself. */
const repeatAdvice =
  'The log has the reason and any tool calls. Send the message again only if their effects may happen a second time.';

/**
 * A key that is no longer accepted ends the session. `hasEffects` says that repeating what failed could repeat effects,
 * which errors that are not retryable say themselves.
 */
export function describeProblem(error: unknown, { hasEffects = false } = {}): Problem {
  const problem = problemOf(error);
  const isFinal =
    error instanceof ApiError &&
    error.retryable === false &&
    !(error instanceof PayloadTooLargeError);
  return isFinal || hasEffects ? { ...problem, advice: repeatAdvice } : problem;
}

function problemOf(error: unknown): Problem {
  recordMissingPermission(error);
  if (error instanceof UnauthorizedError) {
    endSession('The key is no longer accepted: it has expired or was revoked.');
  }
  if (error instanceof ApiError) {
    const known = adviceByClass.find(([ErrorClass]) => error instanceof ErrorClass);
    return {
      title: error.message,
      advice: known?.[1] ?? 'Try again. If the error persists, report it with the request id.',
      requestId: error.requestId ?? undefined,
      retryAfterMs: error.retryAfter === undefined ? undefined : error.retryAfter * 1_000,
    };
  }
  const isLost = error instanceof ConnectionError;
  return {
    title: isLost ? 'The service does not respond.' : messageOf(error),
    advice: isLost
      ? 'It may be restarting, or the network is interrupted.'
      : 'Reload the page and try again.',
    requestId: undefined,
    retryAfterMs: undefined,
  };
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
