/** The error that a thrown value becomes for the client. */
import { ServiceError, serverError, unavailable } from '../../contract/errors.js';
import { isStoreUnavailable } from '../../postgres/errors.js';
import { toRequestError } from './request-errors.js';

export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // Checked first: a connection reset by the client has the same error code as one reset by the database.
  const requestError = toRequestError(error);
  if (requestError) return requestError;
  return isStoreUnavailable(error) ? unavailable(error) : serverError(error);
}
