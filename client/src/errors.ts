/** What calls reject with. Errors of the service have a class for each of their codes. */
import type { ErrorCode, FieldProblem } from './generated/schema.js';

/** The root of all errors of this client; only an aborted call rejects with something else, the signal's reason. */
export class AgentHostingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer came, or it broke off. The request may or may not have had its effect. */
export class ConnectionError extends AgentHostingError {}

/** No answer came in time. */
export class ConnectionTimeoutError extends ConnectionError {}

/** An answer came that no service of this contract gives: some other server may stand at the address. */
export class InvalidResponseError extends AgentHostingError {}

export interface ApiErrorFields {
  status: number;
  code: ApiError['code'];
  details: FieldProblem[];
  retryAfter: number | undefined;
  requestId: string | null;
}

/** The service refused the request or failed at it. */
export class ApiError extends AgentHostingError {
  /** The HTTP status. */
  declare readonly status: number;
  /** What went wrong, for a program. Codes may be added. Undefined if the answer did not come from the service itself. */
  declare readonly code: ErrorCode | (string & Record<never, never>) | undefined;
  /** Each field that failed validation. */
  declare readonly details: FieldProblem[];
  /** Seconds to wait before the next try, where the service says so. */
  declare readonly retryAfter: number | undefined;
  /** Leads to the log entries of the request. Quote it when you ask for help. */
  declare readonly requestId: string | null;

  constructor(message: string, fields: ApiErrorFields) {
    super(message);
    Object.assign(this, fields);
  }
}
