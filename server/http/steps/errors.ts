/** Turns whatever went wrong into the error body of the contract: the only place where a code becomes a status. */
import type { ErrorRequestHandler, Request } from 'express';
import type { Logger } from 'pino';
import type { ErrorResponse } from '../../../generated/api.js';
import { errorStatus } from '../../../generated/operations.js';
import { CallerLeft, ServiceError, serverError, unavailable } from '../../domain/errors.js';
import type { PlainAnswer } from '../../operations/answer.js';
import { NotImplemented } from '../../operations/not-implemented.js';
import { isStoreUnavailable } from '../../store/errors.js';
import { explainRefusal } from '../transport/request-errors.js';
import { type AnswerHeaders, sendJson } from '../transport/respond.js';

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
export function errorAnswer(error: ServiceError): PlainAnswer & { headers: AnswerHeaders } {
  return { status: statusOf(error), headers: headersOf(error), body: errorBody(error) };
}

export function answerErrors(log: Logger): ErrorRequestHandler {
  return async (fault: unknown, req, res, _next) => {
    const error = await settleFault(log, req, fault);
    if (res.closed) return;
    if (res.headersSent) {
      // Too late for an answer: a cut connection tells the client that what it got is not whole.
      res.destroy();
      return;
    }
    const { status, body, headers } = errorAnswer(error);
    sendJson(res, fault instanceof NotImplemented ? 501 : status, body, headers);
  };
}

/** Does what a failed request leaves to do, and finds out what to tell the client. */
export async function settleFault(
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
  if (isOurs && !(fault instanceof CallerLeft)) {
    log.error({ request_id: req.requestId, err: error.cause ?? error }, error.message);
  }
  return error;
}

export function toServiceError(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof NotImplemented) return new ServiceError('server_error', fault.message);
  // First, since a client that breaks off has the same code as a database that does.
  const refusal = explainRefusal(fault);
  if (refusal) return refusal;
  return isStoreUnavailable(fault) ? unavailable(fault) : serverError(fault);
}

function headersOf({ code, retryAfter }: ServiceError): AnswerHeaders {
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
    ...(code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="agent-hosting"' } : {}),
  };
}
