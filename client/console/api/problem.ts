/** Errors in words: what happened, what to do, and the id of the request to quote. */
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
import { learnFromRefusal } from './permissions.js';
import { endSession } from './session.js';

export interface Problem {
  title: string;
  advice: string;
  requestId: string | undefined;
  /** Milliseconds after which another attempt may succeed. */
  retryAfterMs: number | undefined;
}

const adviceByClass: [new (...parameters: never[]) => ApiError, string][] = [
  [ForbiddenError, 'Sign in with a key that may do this, or ask whoever manages the keys.'],
  [NotFoundError, 'It may have been deleted, or this key may not see it.'],
  [InvalidRequestError, 'Correct what is named, and try again.'],
  [ConflictError, 'Something has changed meanwhile: look at the present state, and try again.'],
  [PayloadTooLargeError, 'Make it shorter.'],
  [RateLimitedError, 'The account has used up its requests for the moment. Wait, then try again.'],
  [UpstreamError, 'The log of the agent says why.'],
  [TimeoutError, 'The agent took too long. Try again, or ask for less at once.'],
  [UnavailableError, 'The service or the provider is busy or restarting. Try again in a moment.'],
];

/** A key that is no longer accepted ends the session. */
export function describeProblem(error: unknown): Problem {
  learnFromRefusal(error);
  if (error instanceof UnauthorizedError) {
    endSession('The key is no longer accepted: it has expired or was revoked.');
  }
  if (error instanceof ApiError) {
    const known = adviceByClass.find(([ErrorClass]) => error instanceof ErrorClass);
    return {
      title: error.message,
      advice: known?.[1] ?? 'Try again. If it stays, report it with the id of the request.',
      requestId: error.requestId ?? undefined,
      retryAfterMs: error.retryAfter === undefined ? undefined : error.retryAfter * 1_000,
    };
  }
  const isLost = error instanceof ConnectionError;
  return {
    title: isLost ? 'The service does not answer.' : messageOf(error),
    advice: isLost
      ? 'It may be restarting, or the network is interrupted.'
      : 'Reload the page, and try again.',
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
