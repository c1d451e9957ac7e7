/** The errors that a caller may see: one class with an error code of the contract, which maps each code to a status. */
import type { ErrorCode, ErrorDetail, FieldProblem } from '../../generated/api.js';
import { constraints } from '../../generated/constraints.js';
import { ExpectedError } from '../lib/errors/expected-error.js';

interface ServiceErrorOptions {
  /** The fields that failed validation. */
  details?: FieldProblem[];
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** False: a repeat is useless or dangerous. */
  retryable?: false | undefined;
  /** The underlying error: logged, never shown to the caller. */
  cause?: unknown;
}

export class ServiceError extends ExpectedError {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: FieldProblem[] | undefined;
  readonly retryAfter: number | undefined;
  readonly retryable: false | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { details, retryAfter, retryable, cause }: ServiceErrorOptions = {},
  ) {
    // Stacks are expensive. Only the log entry of a bug shows one, and prefers that of the cause.
    super(message, { cause, hasStack: code === 'server_error' && cause === undefined });
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.retryable = retryable;
  }
}

const { maxItems: maxDetails } = constraints.ErrorDetail.properties.details;

/** The error as the contract represents it. */
export function errorDetail({
  code,
  message,
  retryAfter,
  retryable,
  details,
}: ServiceError): ErrorDetail {
  return {
    code,
    message,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...(retryable === undefined ? {} : { retryable }),
    ...(details === undefined ? {} : { details: details.slice(0, maxDetails) }),
  };
}

export function invalid(...details: [FieldProblem, ...FieldProblem[]]): ServiceError {
  return new ServiceError('invalid_request', 'Validation failed', { details });
}

export function unauthorized(): ServiceError {
  // One text for every invalid credential, so that an attacker cannot tell them apart.
  return new ServiceError('unauthorized', 'The API key or token is unknown, expired or revoked.');
}

/** The request has no credential, or one that is not a bearer token. */
export function missingCredential(): ServiceError {
  const message = 'Send an API key or token in the header "Authorization: Bearer …".';
  return new ServiceError('unauthorized', message);
}

export function forbidden(message: string): ServiceError {
  return new ServiceError('forbidden', message);
}

export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `There is no ${what}.`);
}

export function rateLimited(retryAfter: number, limit = 'Rate limit'): ServiceError {
  const message = `${limit} exceeded. Retry in ${formatSeconds(retryAfter)}.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}

/** For limits on concurrency. When a slot becomes free is not known, so the client should retry soon. */
export function tooManyInvocations(what: string, limit: number): ServiceError {
  const retryAfter = 1;
  const message = `The account has ${limit} ${what}, and may not have more. Retry in ${formatSeconds(retryAfter)}.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}

/** For limits on what an account may do in a day, which is named as the operator sets it. */
export function dailyLimitReached(
  what: string,
  { cap, retryAfter }: { cap: 'bytesPerDay' | 'deploymentsPerDay'; retryAfter: number },
): ServiceError {
  const message = `The account has ${what} today, its limit (${cap}). Retry in ${formatSeconds(retryAfter)}.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}

export function formatSeconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
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

export function idempotencyMismatch(): ServiceError {
  return new ServiceError(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  );
}

export function nothingToCancel(): ServiceError {
  return new ServiceError(
    'not_found',
    'No request has this Idempotency-Key, so there is nothing to cancel.',
  );
}

/** The invocation is not remembered, or its user was erased. */
export function responseDropped(): ServiceError {
  return new ServiceError(
    'conflict',
    'The answer to this request is no longer kept, because it must not be remembered or its user was erased. ' +
      'Send the request with a new Idempotency-Key to run it again.',
  );
}

export function unknownStream(): ServiceError {
  return new ServiceError(
    'conflict',
    'Nothing is known of an event of this request with that id. Repeat the request without Last-Event-ID.',
  );
}

/** The client closed its connection, so the error is neither sent nor logged. */
export class ClientDisconnected extends ExpectedError {
  override readonly name = 'ClientDisconnected';
}
