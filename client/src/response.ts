/** Reads responses: the data of a success, or the error that a failure stands for. */
import { ApiError, InvalidResponseError } from './errors.js';
import type { ErrorDetail, FieldProblem } from './generated/schema.js';
import { errorClasses } from './generated/service.js';
import type { ApiResponse } from './request.js';
import { parseRetryAfter } from './retries.js';

type Detail = Partial<ErrorDetail> | null | undefined;

interface Envelope {
  data?: unknown;
  pagination?: unknown;
  error?: Detail;
}

/** The object of a response, or the whole page if it is a list; throws the error of a response that failed. */
export function parseResponse({ response, text }: ApiResponse): unknown {
  const { ok, status, headers } = response;
  // It may be any JSON: each member is checked before it is used.
  const body = parseJson(text) as Envelope | null | undefined;
  if (!ok) throw createApiError(body?.error, headers, status);
  if (body?.data) return body.pagination ? body : body.data;
  throw new InvalidResponseError(`HTTP ${status} without data: check baseUrl.`);
}

/** Undefined if it is not JSON. */
function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The class is chosen by status, so that codes which are newer than this client get a class too. */
export function createApiError(detail: Detail, headers: Headers, status: number): ApiError {
  const { code, message = `HTTP ${status}`, details, retry_after } = detail ?? {};
  const ErrorClass = errorClasses[status] ?? ApiError;
  const problems = Array.isArray(details) ? details.filter(isFieldProblem) : [];
  const fields = problems.map(({ field, error }) => `${field} ${error}`).join('; ');
  return new ErrorClass(shorten(fields ? `${message}: ${fields}` : message), {
    status,
    code,
    details: problems,
    retryAfter: retry_after ?? parseRetryAfter(headers),
    requestId: getRequestId(headers),
  });
}

/** The details may be those of any server. */
function isFieldProblem(detail: unknown): detail is FieldProblem {
  return typeof (detail as Partial<FieldProblem> | null)?.field === 'string';
}

/** No server can fill a log with the message of an error. */
function shorten(message: unknown): string {
  const text = String(message);
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}

export function getRequestId(headers: Headers): string | null {
  return headers.get('x-request-id');
}
