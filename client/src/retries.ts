/** Decides whether a request is retried, and after how long. */
import type { ApiError } from './errors.js';

const initialRetryDelayMs = 500;
const maxRetryDelayMs = 8_000;
/** If the service asks for a longer pause, the call fails instead of waiting. */
const maxRetryAfterSeconds = 60;

/** A GET changes nothing, and the Idempotency-Key of a POST keeps it from taking effect twice. */
export function isRepeatable(method: string): boolean {
  return method === 'GET' || method === 'POST';
}

/** What decides about a retry, of a response or of the `error` event of a stream. */
type Failure = Pick<ApiError, 'status' | 'retryAfter' | 'retryable'>;

/** Whether the same request may succeed if it is sent again, without taking effect twice. */
export function shouldRetry(method: string, { status, retryAfter, retryable }: Failure): boolean {
  if (retryable === false) return false;
  if (retryAfter !== undefined && retryAfter > maxRetryAfterSeconds) return false;
  // The request was rejected before it had any effect.
  if (status === 429) return true;
  if (!isRepeatable(method)) return false;
  // With Retry-After, a conflict means that the first request with this Idempotency-Key is still running.
  if (status === 409) return retryAfter !== undefined;
  return status === 408 || status >= 500;
}

/**
 * In milliseconds: what the service asks for, otherwise exponential backoff with up to 50 % jitter, so that clients do
 * not retry at the same time.
 */
export function calculateRetryDelay(retries: number, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return retryAfter * 1000;
  const backoff = Math.min(maxRetryDelayMs, initialRetryDelayMs * 2 ** retries);
  return backoff * (1 - Math.random() / 2);
}

/** In seconds. The service sends a number; a proxy may send a date. */
export function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const wait = seconds >= 0 ? seconds : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return wait >= 0 ? wait : undefined;
}
