/** Errors as responses: the only place where a code becomes a status, and whatever went wrong becomes a ServiceError. */
import type { ErrorResponse } from '../../../generated/api.js';
import { errorStatus } from '../../../generated/operations.js';
import { ServiceError, serverError, unavailable } from '../../domain/errors.js';
import type { JsonResponse } from '../../operations/response.js';
import { isStoreUnavailable } from '../../store/errors.js';
import { toRequestError } from './request-errors.js';
import type { ResponseHeaders } from './respond.js';

export function statusOf(error: ServiceError): number {
  return errorStatus[error.code];
}

export function errorBody({ code, message, retryAfter, details }: ServiceError): ErrorResponse {
  return {
    success: false,
    error: {
      code,
      message,
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
      ...(details === undefined ? {} : { details }),
    },
  };
}

/** An error as an answer, to be sent or to be stored. */
export function errorResponse(error: ServiceError): JsonResponse & { headers: ResponseHeaders } {
  return { status: statusOf(error), headers: headersOf(error), body: errorBody(error) };
}

export function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  // First, since a client that breaks off has the same code as a database that does.
  const refusal = toRequestError(fault);
  if (refusal) return refusal;
  return isStoreUnavailable(fault) ? unavailable(fault) : serverError(fault);
}

function headersOf({ code, retryAfter }: ServiceError): ResponseHeaders {
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
    ...(code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="agent-hosting"' } : {}),
  };
}
