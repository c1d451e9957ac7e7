/** Sends a request, with a time-out for each attempt, until there is a response or no point in another attempt. */
import { toClientError } from './errors.js';
import type { ClientSettings, HeaderFields, RequestOptions } from './options.js';
import { calculateRetryDelay, isRepeatable, shouldRetry } from './retries.js';
import { sleep, startTimeout, type Timeout } from './timeout.js';

export interface ApiRequest {
  /** A URL or a complete request, created for each attempt. */
  input: () => string | Request;
  method: string;
  /** By lower-case name. */
  headers: HeaderFields;
  /** Null if it is part of the input. */
  body: string | null;
}

export interface ApiResponse {
  response: Response;
  /** The whole body; undefined for an event stream, which is still to be read. */
  text: string | undefined;
  /** Still running for an event stream, otherwise stopped. */
  timeout: Timeout;
}

type Limits = Pick<RequestOptions, 'signal' | 'maxRetries' | 'timeout'>;

/** Resolves to the last response, of any status; rejects if there is none, or if the signal is aborted. */
export async function sendRequest(
  settings: ClientSettings,
  request: ApiRequest,
  { maxRetries = settings.maxRetries, timeout = settings.timeout, signal }: Limits = {},
): Promise<ApiResponse> {
  const { method, headers } = request;
  const { apiKey } = settings;
  if (method === 'POST') headers['idempotency-key'] ??= createIdempotencyKey();
  for (let retries = 0; ; retries += 1) {
    headers['authorization'] = `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`;
    signal?.throwIfAborted();
    const isLastAttempt = retries >= maxRetries;
    let failed: Response | undefined;
    try {
      const result = await attempt(settings.fetch, request, startTimeout(timeout, signal));
      if (isLastAttempt || !shouldRetry(method, result.response)) return result;
      failed = result.response;
    } catch (error) {
      signal?.throwIfAborted();
      if (isLastAttempt || !isRepeatable(method)) throw error;
    }
    await sleep(calculateRetryDelay(retries, failed), signal);
  }
}

async function attempt(
  fetch: ClientSettings['fetch'],
  { input, method, headers, body }: ApiRequest,
  timeout: Timeout,
): Promise<ApiResponse> {
  try {
    const response = await fetch(input(), { method, headers, body, signal: timeout.signal });
    const isStream =
      response.ok &&
      isEventStream(headers['accept']) &&
      isEventStream(response.headers.get('content-type'));
    if (isStream) return { response, text: undefined, timeout };
    const text = await response.text();
    timeout.stop();
    return { response, text, timeout };
  } catch (error) {
    timeout.stop();
    throw toClientError(error, timeout.signal);
  }
}

function isEventStream(mediaType: string | null | undefined): boolean {
  return mediaType?.startsWith('text/event-stream') ?? false;
}

function createIdempotencyKey(): string {
  // Pages that were not loaded by https have no randomUUID.
  const source: Partial<typeof crypto> = crypto;
  return source.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
}
