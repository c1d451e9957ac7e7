/** Errors as responses: the only place that maps error codes to statuses and headers. */
import type { ErrorResponse } from '../../generated/api.js';
import { errorStatus } from '../../generated/operations.js';
import { errorDetail, type ServiceError } from './errors.js';

export function statusOf(error: ServiceError): number {
  return errorStatus[error.code];
}

export function errorBody(error: ServiceError): ErrorResponse {
  return { success: false, error: errorDetail(error) };
}

export function errorResponse(error: ServiceError) {
  return { status: statusOf(error), headers: headersOf(error), body: errorBody(error) };
}

function headersOf({ code, retryAfter }: ServiceError): Record<string, string | number> {
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
    ...(code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="agent-hosting"' } : {}),
  };
}
