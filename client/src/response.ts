/** Reads responses: returns the data of a successful one, and creates the error for a failed one. */
import type { Middleware } from 'openapi-fetch';
import { ApiError, InvalidResponseError } from './errors.js';
import type { ErrorDetail, FieldProblem } from './generated/schema.js';
import { errorClasses } from './generated/service.js';
import { parseRetryAfter } from './retries.js';

type Detail = Partial<ErrorDetail> | null | undefined;

/** The body may be any JSON, so each member is checked before it is used. */
export interface Envelope {
  data?: unknown;
  pagination?: unknown;
  error?: Detail;
}

/** Makes calls reject if the response is an error. */
export const rejectErrors: Middleware = {
  onResponse: async ({ response }) => {
    if (!response.ok) throw createResponseError((await parseBody(response))?.error, response);
  },
};

/** Throws if the body has no data. */
export async function parseResponse(response: Response): Promise<Envelope> {
  const body = await parseBody(response);
  if (body?.data) return body;
  throw new InvalidResponseError(`HTTP ${response.status} without data: check baseUrl.`);
}

/** Undefined if the body is not JSON. */
export function parseBody(response: Response): Promise<Envelope | null | undefined> {
  return response.json().catch(() => undefined) as Promise<Envelope | null | undefined>;
}

/** Chooses the class by status, so that codes newer than this client have a class too. */
export function createResponseError(
  detail: Detail,
  { headers, status }: Pick<Response, 'headers' | 'status'>,
): ApiError | InvalidResponseError {
  // The service never sends HTML. With a 5xx it is usually from a proxy that could not reach the service.
  if (status < 500 && headers.get('content-type')?.startsWith('text/html')) {
    return new InvalidResponseError(`HTTP ${status} with HTML: check baseUrl.`);
  }
  const { code, message = `HTTP ${status}`, details, retry_after, retryable } = detail ?? {};
  const ErrorClass = errorClasses[status] ?? ApiError;
  const problems = Array.isArray(details) ? details.filter(isFieldProblem) : [];
  const fields = problems.map(({ field, error }) => `${field} ${error}`).join('; ');
  return new ErrorClass(shorten(fields ? `${message}: ${fields}` : message), {
    status,
    code,
    details: problems,
    retryAfter: retry_after ?? parseRetryAfter(headers),
    retryable,
    requestId: getRequestId(headers),
  });
}

/** The response may be from any server. */
function isFieldProblem(detail: unknown): detail is FieldProblem {
  return typeof (detail as Partial<FieldProblem> | null)?.field === 'string';
}

/** Keeps a server from filling logs with the message of an error. */
function shorten(message: unknown): string {
  const text = String(message);
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}

export function isEventStream(mediaType: string | null | undefined): boolean {
  return !!mediaType?.startsWith('text/event-stream');
}

export function getRequestId(headers: Headers): string | null {
  return headers.get('x-request-id');
}
