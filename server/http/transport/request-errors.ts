/** Translates the errors of the body parser, the router and the validator into ServiceErrors. */
import type { FieldProblem } from '../../../generated/api.js';
import { ServiceError } from '../../contract/errors.js';
import { describe, fieldOf, formatsFirst, isRequired, type Violation } from './violation-text.js';

/** The fields of those errors that are used here. */
interface HttpError {
  status: number;
  /** The body parser's identifier of the problem. */
  type?: unknown;
  /** The largest body, in the error about a larger one. */
  limit?: unknown;
  /** The validator's list of violations. */
  errors?: Violation[];
}

/** Returns undefined for errors from elsewhere. */
export function toRequestError(error: unknown): ServiceError | undefined {
  if (!isClientError(error)) return undefined;
  if (error.errors) return validationFailed(error.errors);
  const create = errorsByType[String(error.type)] ?? errorsByStatus[error.status];
  return create?.(error) ?? malformedRequest();
}

export const malformedRequest = () =>
  new ServiceError('invalid_request', 'The request is malformed.');

export function payloadTooLarge(limit: number): ServiceError {
  const mebibytes = limit / 1024 ** 2;
  const most = Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${limit} bytes`;
  return new ServiceError('payload_too_large', `The request body is larger than ${most}.`);
}

const bodyTooLarge = ({ limit }: HttpError) => payloadTooLarge(Number(limit));

export const unsupportedMediaType = () =>
  new ServiceError('unsupported_media_type', 'Send the body as application/json in UTF-8.');

const unsupportedEncoding = () =>
  new ServiceError(
    'unsupported_media_type',
    'Send the body as it is, or compressed as gzip, deflate or br.',
  );

export const invalidJson = () =>
  new ServiceError('invalid_request', 'The request body is not valid JSON.');

export const invalidCompression = () =>
  new ServiceError(
    'invalid_request',
    'The request body is not compressed as its Content-Encoding says, or it is cut off.',
  );

export const invalidUtf8 = () =>
  new ServiceError('invalid_request', 'The request body is not valid UTF-8.');

const invalidAddress = () =>
  new ServiceError(
    'invalid_request',
    'The request address is not valid: check its percent-encoding.',
  );

type CreateError = (error: HttpError) => ServiceError;

const errorsByType: Record<string, CreateError | undefined> = {
  'encoding.unsupported': unsupportedEncoding,
  'entity.too.large': bodyTooLarge,
  'request.aborted': malformedRequest,
  'request.size.invalid': malformedRequest,
};

const errorsByStatus: Record<number, CreateError | undefined> = {
  400: invalidAddress,
  415: unsupportedMediaType,
};

function validationFailed(violations: Violation[]): ServiceError {
  const details = new Map<string, FieldProblem>();
  // One problem per field: the first violation is the most specific, for example among the branches of a union. But a format
  // violation goes first, since the allowed length does not matter to a text of the wrong format.
  for (const violation of violations.toSorted(formatsFirst)) {
    const field = fieldOf(violation);
    if (!details.has(field)) details.set(field, { field, error: describe(violation) });
  }
  const [first, ...others] = [...details.values()];
  const isOneMissing = first !== undefined && others.length === 0 && first.error === isRequired;
  return new ServiceError(
    'invalid_request',
    isOneMissing ? `Missing required parameter: ${first.field}` : 'Validation failed',
    { details: [...details.values()] },
  );
}

function isClientError(error: unknown): error is HttpError {
  return (
    error instanceof Error &&
    'status' in error &&
    typeof error.status === 'number' &&
    error.status >= 400 &&
    error.status < 500
  );
}
