/** Sends a request, with a time-out for each attempt, until there is a response or no point in another attempt. */
import { isPermanent, toClientError } from './errors.js';
import {
  requireApiKey,
  type ClientSettings,
  type HeaderFields,
  type RequestOptions,
} from './options.js';
import { getRequestId } from './response.js';
import { calculateRetryDelay, isRepeatable, shouldRetry } from './retries.js';
import { sleep, startTimeout, type Timeout } from './timeout.js';

export interface ApiRequest {
  url: string;
  method: string;
  /** By lower-case name. */
  headers: HeaderFields;
  /** Null if it is part of the request that `create` returns. */
  body: string | null;
  /** The complete request for an attempt, if it is more than a URL. */
  create?: () => Request;
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
  const { method, headers, url } = request;
  const { apiKey, log } = settings;
  if (method === 'POST') headers['idempotency-key'] ??= createIdempotencyKey();
  for (let retries = 0; ; retries += 1) {
    const key = typeof apiKey === 'string' ? apiKey : requireApiKey(await apiKey());
    headers['authorization'] = `Bearer ${key}`;
    signal?.throwIfAborted();
    const isLastAttempt = retries >= maxRetries;
    let failed: Response | undefined;
    try {
      const limit = startTimeout(timeout, signal, `No answer from ${hostOf(url)}`);
      const result = await attempt(settings, request, limit);
      if (isLastAttempt || !shouldRetry(method, result.response)) return result;
      failed = result.response;
    } catch (error) {
      signal?.throwIfAborted();
      if (isLastAttempt || !isRepeatable(method) || isPermanent(error)) throw error;
    }
    const delay = calculateRetryDelay(retries, failed);
    log?.(
      'info',
      `${method} ${url}: retry ${retries + 1} of ${maxRetries} in ${Math.round(delay)} ms`,
    );
    await sleep(delay, signal);
  }
}

async function attempt(
  { fetch, log }: ClientSettings,
  { url, method, headers, body, create }: ApiRequest,
  timeout: Timeout,
): Promise<ApiResponse> {
  const start = Date.now();
  const describe = (outcome: string) => `${method} ${url}: ${outcome} (${Date.now() - start} ms)`;
  log?.('debug', `${method} ${url}`);
  try {
    const { signal } = timeout;
    const response = await fetch(create?.() ?? url, { method, headers, body, signal });
    const isStream =
      response.ok &&
      isEventStream(headers['accept']) &&
      isEventStream(response.headers.get('content-type'));
    const text = isStream ? undefined : await response.text();
    if (!isStream) timeout.stop();
    const { ok, status, headers: received } = response;
    log?.(ok ? 'info' : 'warn', describe(`${status}, request ${getRequestId(received)}`));
    return { response, text, timeout };
  } catch (error) {
    timeout.stop();
    requireValidHeaders(headers);
    const reason = toClientError(error, timeout.signal, hostOf(url));
    log?.('warn', describe(String(reason)));
    throw reason;
  }
}

export function hostOf(url: string): string {
  return url.split('/', 3)[2] ?? url;
}

/** Fetch would show the value of a header that cannot be sent, which may be a secret. */
function requireValidHeaders(headers: HeaderFields): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new TypeError(`The header ${name} has a name or value that cannot be sent.`);
    }
  }
}

function isEventStream(mediaType: string | null | undefined): boolean {
  return mediaType?.startsWith('text/event-stream') ?? false;
}

export function createIdempotencyKey(): string {
  // Pages that were not loaded by https have no randomUUID.
  const source: Partial<typeof crypto> = crypto;
  return source.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
}
