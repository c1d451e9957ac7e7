/** The errors that calls reject with. `generated/errors.ts` has a subclass of ApiError for each error code. */
import type { ErrorCode, FieldProblem } from './generated/schema.js';

/** The base class of all errors of this client. Only aborted calls reject with something else: the signal's reason. */
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
  retryable: boolean | undefined;
  requestId: string | null;
}

/** The service rejected the request or failed to handle it. */
export class ApiError extends AgentHostingError {
  /** The HTTP status. */
  declare readonly status: number;
  /** A machine-readable code; more may be added. Undefined if the response did not come from the service itself. */
  declare readonly code: ErrorCode | (string & Record<never, never>) | undefined;
  /** The fields that failed validation. */
  declare readonly details: FieldProblem[];
  /** Seconds to wait before the next attempt, if the service says so. */
  declare readonly retryAfter: number | undefined;
  /**
   * False if repeating the call is useless or dangerous: the service has already retried, the call would fail again, or
   * the agent had called a tool. This client does not retry such an error. Otherwise undefined.
   */
  declare readonly retryable: boolean | undefined;
  /** Identifies the log entries of the request. Include it when you report a problem. */
  declare readonly requestId: string | null;

  constructor(message: string, fields: ApiErrorFields) {
    super(message);
    Object.assign(this, fields);
  }
}

export function createConnectionError(host: string, cause?: unknown): ConnectionError {
  const reason = cause === undefined ? 'the connection broke off' : rootCause(cause).text;
  return new ConnectionError(`No response from ${host}: ${reason}.`, { cause });
}

/** Wraps errors of `fetch`; errors of this client and the reason of an abort stay as they are. */
export function toClientError(
  error: unknown,
  { aborted, reason }: AbortSignal,
  host: string,
): unknown {
  if (error instanceof AgentHostingError) return error;
  return aborted ? reason : createConnectionError(host, error);
}

/** Names that do not resolve, certificates that are not trusted, ports and schemes that fetch refuses. */
const permanent = /ENOTFOUND|CERT|SIGNATURE|ERR_SSL|ERR_TLS|bad port|unknown scheme|redirect count/;

/** Whether another attempt would fail in the same way. */
export function isPermanent(error: unknown): boolean {
  const { code, text } = rootCause(error);
  return !(error instanceof ConnectionError) || permanent.test(`${code} ${text}`);
}

/** The innermost cause is the most specific. An AggregateError of several addresses has a code but no message. */
function rootCause(error: unknown): { code: string; text: string } {
  const { cause, code = '', message } = Object(error) as { [Name in string]?: string };
  return cause ? rootCause(cause) : { code, text: String(message || code || error) };
}
