/** The error handler of the pipeline: logs the error and sends the error body of the contract. */
import type { ErrorRequestHandler, Request } from 'express';
import type { Logger } from 'pino';
import { ClientDisconnected, type ServiceError } from '../../contract/errors.js';
import { driverError } from '../../postgres/errors.js';
import { errorResponse } from '../../contract/error-response.js';
import { toServiceError } from '../transport/to-service-error.js';
import { logFields } from '../../telemetry/telemetry.js';
import { sendJson } from '../transport/respond.js';

export function handleErrors(log: Logger): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
    const serviceError = await reportError(log, req, error);
    if (res.closed) return;
    if (res.headersSent) {
      // Too late for an error response: closing the connection tells the client that the body is incomplete.
      res.destroy();
      return;
    }
    const { status, body, headers } = errorResponse(serviceError);
    sendJson(res, status, body, headers);
  };
}

/** Releases the request's idempotency key and one-time code, logs faults of the service, and returns the error for the client. */
export async function reportError(
  log: Logger,
  req: Pick<Request, 'requestId' | 'trace' | 'releaseIdempotencyKey' | 'releaseOneTimeCode'>,
  error: unknown,
): Promise<ServiceError> {
  // Before the response is sent, so that an immediate retry finds the key free.
  await req.releaseIdempotencyKey?.();
  await req.releaseOneTimeCode?.().catch((cause: unknown) => {
    log.warn({ ...logFields(req), err: cause }, 'one-time code not released');
  });
  const serviceError = toServiceError(error);
  if (!(error instanceof ClientDisconnected)) logFault(log, logFields(req), serviceError);
  return serviceError;
}

/** Bugs are logged with their stack. A database outage fails thousands of requests, so each of those gets one short line. */
function logFault(log: Logger, request: ReturnType<typeof logFields>, error: ServiceError): void {
  const { code, cause, message } = error;
  if (code === 'unavailable' && cause !== undefined) {
    const { code: cause_code, message: cause_message } = driverError(cause);
    log.error({ ...request, cause_code, cause_message }, message);
  } else if (code === 'server_error' || cause !== undefined) {
    log.error({ ...request, err: cause ?? error }, message);
  }
}
