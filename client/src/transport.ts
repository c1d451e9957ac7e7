/** The HTTP transport: openapi-fetch with authentication, retries, time-outs and idempotency keys. */
import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { isPermanent, toClientError } from './errors.js';
import { requireApiKey, type ClientSettings, type RequestOptions } from './options.js';
import { getRequestId, isEventStream, parseBody } from './response.js';
import { calculateRetryDelay, isRepeatable, parseRetryAfter, shouldRetry } from './retries.js';
import { sleep, startTimeout } from './timeout.js';

export type Transport<Paths extends object> = Client<Paths, 'application/json'>;

export function createTransport<Paths extends object>(settings: ClientSettings): Transport<Paths> {
  const { baseUrl, headers } = settings;
  const client = createFetchClient<Paths, 'application/json'>({
    baseUrl,
    headers,
    pathSerializer: fillPath,
    // openapi-fetch copies options that it does not know, such as timeout and maxRetries, to the request.
    fetch: (request) => sendRequest(settings, request, request),
  });
  client.use(idempotency);
  return client;
}

/** Ids may come from users, so none of them may change the path. */
function fillPath(path: string, values: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name]);
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`Not an id: '${value}'`);
    return encodeURIComponent(value);
  });
}

/** Sets the key before the first attempt, so that every retry has the same one. */
const idempotency: Middleware = {
  onRequest: ({ request: { method, headers } }) => {
    if (method === 'POST' && !headers.has('idempotency-key')) {
      headers.set('idempotency-key', createIdempotencyKey());
    }
  },
};

export function createIdempotencyKey(): string {
  // Pages loaded over plain http have no randomUUID.
  const source: Partial<typeof crypto> = crypto;
  return source.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
}

export interface RetryListener {
  /** Called before each retry. */
  onRetry?: () => void;
}

type Limits = Pick<RequestOptions, 'signal' | 'maxRetries' | 'timeout'> & RetryListener;

/**
 * The `fetch` of openapi-fetch, whose middleware cannot retry. Resolves to the last response, whatever its status, once
 * its body has arrived completely or it is an event stream. Rejects if there is no response or the signal is aborted.
 */
export async function sendRequest(
  settings: ClientSettings,
  request: Request,
  { maxRetries = settings.maxRetries, timeout = settings.timeout, signal, onRetry }: Limits,
): Promise<Response> {
  const { method, url, cache, credentials, keepalive, redirect } = request;
  const { apiKey, log, fetch } = settings;
  const { host } = new URL(url);
  const call = `${method} ${url}`;
  const headers = Object.fromEntries(request.headers);
  // The request itself is not passed on: its body can be sent only once, and another fetch may not accept its class.
  const body = (await request.text()) || null;
  for (let retries = 0; ; retries += 1) {
    const key = typeof apiKey === 'string' ? apiKey : requireApiKey(await apiKey());
    headers['authorization'] = `Bearer ${key}`;
    signal?.throwIfAborted();
    const isLastAttempt = retries >= maxRetries;
    const limit = startTimeout(timeout, signal, `No response from ${host}`);
    const start = Date.now();
    const logOutcome = (level: 'info' | 'warn', outcome: string) =>
      log?.(level, `${call}: ${outcome} (${Date.now() - start} ms)`);
    log?.('debug', call);
    let retryAfter: number | undefined;
    try {
      const response = await fetch(url, {
        ...{ method, headers, body, cache, credentials, keepalive, redirect },
        signal: limit.signal,
      });
      const { ok, status } = response;
      const types = [headers['accept'], response.headers.get('content-type')];
      if (ok && types.every(isEventStream)) {
        // The reader of the stream sets the idle time-out.
        limit.restart(0);
      } else {
        await response.clone().arrayBuffer();
        limit.stop();
      }
      logOutcome(ok ? 'info' : 'warn', `${status}, request ${getRequestId(response.headers)}`);
      if (ok || isLastAttempt) return response;
      retryAfter = parseRetryAfter(response.headers);
      // A replayed response stays the same.
      const retryable = response.headers.has('idempotency-replayed')
        ? false
        : (await parseBody(response.clone()))?.error?.retryable;
      if (!shouldRetry(method, { status, retryAfter, retryable })) return response;
    } catch (error) {
      limit.stop();
      const reason = toClientError(error, limit.signal, host);
      logOutcome('warn', String(reason));
      signal?.throwIfAborted();
      if (isLastAttempt || !isRepeatable(method) || isPermanent(reason)) throw reason;
    }
    const delay = calculateRetryDelay(retries, retryAfter);
    log?.('info', `${call}: retry ${retries + 1} of ${maxRetries} in ${Math.round(delay)} ms`);
    await sleep(delay, signal);
    onRetry?.();
  }
}
