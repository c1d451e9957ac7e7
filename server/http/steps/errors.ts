/** The last step: logs whatever went wrong and answers with the error body of the contract. */
import type { ErrorRequestHandler, Request } from 'express';
import type { Logger } from 'pino';
import { ClientDisconnected, type ServiceError } from '../../domain/errors.js';
import { errorResponse, toServiceError } from '../transport/error-response.js';
import { sendJson } from '../transport/respond.js';

export function handleErrors(log: Logger): ErrorRequestHandler {
  return async (fault: unknown, req, res, _next) => {
    const error = await reportFault(log, req, fault);
    if (res.closed) return;
    if (res.headersSent) {
      // Too late for an answer: a cut connection tells the client that what it got is not whole.
      res.destroy();
      return;
    }
    const { status, body, headers } = errorResponse(error);
    sendJson(res, status, body, headers);
  };
}

/** Does what a failed request leaves to do, and finds out what to tell the client. */
export async function reportFault(
  log: Logger,
  req: Pick<Request, 'requestId' | 'release'>,
  fault: unknown,
): Promise<ServiceError> {
  // Before the answer, so that whoever retries at once finds the key free. What fails here is freed by its lease.
  await req.release?.().catch((cause: unknown) => {
    log.warn({ request_id: req.requestId, err: cause }, 'idempotency key not freed');
  });
  const error = toServiceError(fault);
  const isOurs = error.code === 'server_error' || error.cause !== undefined;
  if (isOurs && !(fault instanceof ClientDisconnected)) {
    log.error({ request_id: req.requestId, err: error.cause ?? error }, error.message);
  }
  return error;
}
