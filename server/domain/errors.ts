/**
 * Everything that can go wrong for a caller, as one error with a code of the contract. Whoever throws it says what a
 * person should read; which status a code has is decided in the contract, and nowhere in this code.
 */
import type { ErrorCode, FieldProblem } from '../../generated/api.js';

interface ServiceErrorOptions {
  /** The fields that failed validation. */
  details?: FieldProblem[];
  /** Seconds to wait before the next try. */
  retryAfter?: number;
  /** What lies behind it: for the log, never for the caller. */
  cause?: unknown;
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: FieldProblem[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { details, retryAfter, cause }: ServiceErrorOptions = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

export function invalid(...details: [FieldProblem, ...FieldProblem[]]): ServiceError {
  return new ServiceError('invalid_request', 'Validation failed', { details });
}

export function unauthorized(): ServiceError {
  // One text for every reason: which of them it was is nothing that a stranger should learn.
  return new ServiceError(
    'unauthorized',
    'The API key or token is missing, unknown, expired or revoked.',
  );
}

export function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}

export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `There is no ${what}.`);
}

export function rateLimited(retryAfter: number): ServiceError {
  const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  return new ServiceError('rate_limited', `Rate limit exceeded. Retry in ${seconds}.`, {
    retryAfter,
  });
}

export function unavailable(cause: unknown): ServiceError {
  const retryAfter = 2;
  return new ServiceError(
    'unavailable',
    `The service cannot take the request now. Retry in ${retryAfter} seconds.`,
    { retryAfter, cause },
  );
}

export function serverError(cause: unknown): ServiceError {
  return new ServiceError(
    'server_error',
    'Something went wrong on our side. Quote the request id when you report it.',
    { cause },
  );
}

export function requestInProgress(): ServiceError {
  return new ServiceError(
    'conflict',
    'A request with this Idempotency-Key is still running. Repeat it in a moment.',
    { retryAfter: 1 },
  );
}

/** Whoever asked has left, so that nobody is there to be told of anything. */
export class ClientDisconnected extends Error {
  override readonly name = 'CallerLeft';
}
