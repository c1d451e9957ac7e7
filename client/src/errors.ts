/** The errors that calls reject with. Errors of the service have a class for each code, in `generated/errors.ts`. */
import type { ErrorCode, FieldProblem } from './generated/schema.js';

/** The base class of all errors of this client; only an aborted call rejects with something else, the signal's reason. */
export class AgentHostingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No response, or an incomplete one. The request may or may not have taken effect. */
export class ConnectionError extends AgentHostingError {}

/** No response within the time-out. */
export class ConnectionTimeoutError extends ConnectionError {}

/** The response does not follow the contract: another server may be running at the base URL. */
export class InvalidResponseError extends AgentHostingError {}

interface ApiErrorFields {
  status: number;
  code: ApiError['code'];
  details: FieldProblem[];
  retryAfter: number | undefined;
  requestId: string | null;
}

/** The service rejected the request or failed to handle it. */
export class ApiError extends AgentHostingError {
  /** The HTTP status. */
  declare readonly status: number;
  /** A machine-readable code. Codes may be added. Undefined if the response did not come from the service itself. */
  declare readonly code: ErrorCode | (string & Record<never, never>) | undefined;
  /** Each field that failed validation. */
  declare readonly details: FieldProblem[];
  /** Seconds to wait before the next attempt, if the service says so. */
  declare readonly retryAfter: number | undefined;
  /** Identifies the log entries of the request. Quote it when you ask for help. */
  declare readonly requestId: string | null;

  constructor(message: string, fields: ApiErrorFields) {
    super(message);
    Object.assign(this, fields);
  }
}

export function createConnectionError(cause?: unknown): ConnectionError {
  return new ConnectionError('No answer: the connection failed or broke off.', { cause });
}

/** What a failed attempt rejects with: errors of this client and the reason of its abort unchanged, others wrapped. */
export function toClientError(error: unknown, { aborted, reason }: AbortSignal): unknown {
  if (error instanceof AgentHostingError) return error;
  return aborted ? reason : createConnectionError(error);
}
