/** The errors that a caller may see: one class with a code of the contract, which maps each code to a status. */
import type { ErrorCode, ErrorDetail, FieldProblem } from '../../generated/api.js';
import { constraints } from '../../generated/constraints.js';
import { ExpectedError } from '../lib/errors/expected-error.js';

interface ServiceErrorOptions {
  /** The fields that failed validation. */
  details?: FieldProblem[];
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** The underlying error: logged, never shown to the caller. */
  cause?: unknown;
}

export class ServiceError extends ExpectedError {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: FieldProblem[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { details, retryAfter, cause }: ServiceErrorOptions = {},
  ) {
    // Only the log of a bug shows one, of its cause if there is any.
    super(message, { cause, hasStack: code === 'server_error' && cause === undefined });
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

const { maxItems: maxDetails } = constraints.ErrorDetail.properties.details;

/** What the caller is told, as the contract has it. */
export function errorDetail({ code, message, retryAfter, details }: ServiceError): ErrorDetail {
  return {
    code,
    message,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
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

/** The request has no credential, or one that is not in the form of a bearer. */
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

export function rateLimited(retryAfter: number): ServiceError {
  const message = `Rate limit exceeded. Retry in ${inSeconds(retryAfter)}.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}

/** For limits on what runs at a time: nobody knows when something ends, so the client should ask again soon. */
export function tooManyInvocations(what: string, limit: number): ServiceError {
  const retryAfter = 1;
  const message = `The account has ${limit} ${what}, and may not have more. Retry in ${inSeconds(retryAfter)}.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}

export function inSeconds(count: number): string {
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

/** A response that must not be remembered, or whose user was erased. */
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

/** The client closed its connection: there is nobody to send an error to, and nothing to log. */
export class ClientDisconnected extends ExpectedError {
  override readonly name = 'ClientDisconnected';
}
