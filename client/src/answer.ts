/** Reads answers: the data of a success, the error of a failure. */
import type { Incoming } from './deliver.js';
import { ApiError, InvalidResponseError } from './errors.js';
import type { ErrorDetail } from './generated/schema.js';
import { errorClasses, streamStatuses } from './generated/service.js';

type Detail = Partial<ErrorDetail> | null | undefined;

interface Envelope {
  data?: unknown;
  pagination?: unknown;
  error?: Detail;
}

/** The object of an answer, or the whole page if it is a list; throws the error that the answer stands for. */
export function dataOf([{ ok, status, headers }, text]: Incoming): unknown {
  // Whatever it is, its members are looked at before they are used.
  const body = parse(text) as Envelope | null | undefined;
  if (!ok) throw apiError(body?.error, headers, status);
  if (body?.data) return body.pagination ? body : body.data;
  throw new InvalidResponseError(`HTTP ${status} without data: check baseUrl.`);
}

/** Undefined for what is no JSON. */
function parse(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each status of the contract has one code, so its class goes by the status, as a code that is new here must. */
export function apiError(
  detail: Detail,
  headers: Headers,
  status = streamStatuses[detail?.code ?? ''] ?? 500,
): ApiError {
  const { code, message, details, retry_after } = detail ?? {};
  const Class = errorClasses[status] ?? ApiError;
  return new Class(message ?? `HTTP ${status}`, {
    status,
    code,
    details: Array.isArray(details) ? details : [],
    retryAfter: retry_after ?? retryAfter(headers),
    requestId: headers.get('x-request-id'),
  });
}

/** Seconds to wait, where the service asks for it, or something on the way to it, which may name a time instead. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') || NaN;
  const seconds = Number(value);
  const wait = seconds >= 0 ? seconds : Math.ceil((Date.parse(`${value}`) - Date.now()) / 1000);
  return wait >= 0 ? wait : undefined;
}
