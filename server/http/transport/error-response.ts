/** Turns errors into responses: the only place that maps error codes to statuses, and thrown values to ServiceErrors. */
import type { ErrorResponse } from '../../../generated/api.js';
import { errorStatus } from '../../../generated/operations.js';
import { errorDetail, ServiceError, serverError, unavailable } from '../../domain/errors.js';
import type { JsonResponse } from '../../operations/response.js';
import { isStoreUnavailable } from '../../store/postgres/errors.js';
import { toRequestError } from './request-errors.js';
import type { ResponseHeaders } from './respond.js';

export function statusOf(error: ServiceError): number {
  return errorStatus[error.code];
}

export function errorBody(error: ServiceError): ErrorResponse {
  return { success: false, error: errorDetail(error) };
}

export function errorResponse(error: ServiceError): JsonResponse & { headers: ResponseHeaders } {
  return { status: statusOf(error), headers: headersOf(error), body: errorBody(error) };
}

export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Checked first: a connection reset by the client has the same error code as one reset by the database.
  const requestError = toRequestError(error);
  if (requestError) return requestError;
  return isStoreUnavailable(error) ? unavailable(error) : serverError(error);
}

function headersOf({ code, retryAfter }: ServiceError): ResponseHeaders {
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
    ...(code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="agent-hosting"' } : {}),
  };
}
