/** Sends a request until it is answered, or until there is no point in trying again. */
import { alarm, type Alarm } from './alarm.js';
import { retryAfter } from './answer.js';
import { AgentHostingError, ConnectionError, ConnectionTimeoutError } from './errors.js';
import type { HeaderFields, RequestOptions, Settings } from './options.js';

export interface Outgoing {
  /** An address or a whole request, anew for each attempt. */
  input: () => string | Request;
  method: string;
  /** By their names in small letters. */
  headers: HeaderFields;
  /** Null if the request has it. */
  body: string | null;
}

/**
 * An answer with its whole body. A stream of events has none yet: it is still to be read, watched over by the alarm, which
 * ends it if it is silent for too long.
 */
export type Incoming = [
  response: Response,
  text: string | undefined,
  watch: Alarm,
  ending: AbortController,
];

type Limits = Pick<RequestOptions, 'signal' | 'maxRetries' | 'timeout'>;

/** Resolves to the last answer, whatever its status; rejects if there was none, or the signal was aborted. */
export async function deliver(
  settings: Settings,
  { input, method, headers, body }: Outgoing,
  options: Limits = {},
): Promise<Incoming> {
  const { maxRetries = settings.maxRetries, timeout = settings.timeout, signal } = options;
  const { fetch, apiKey } = settings;
  // Every POST has an effect that its key keeps from happening twice, or none at all.
  const isPost = method === 'POST';
  const isRepeatable = isPost || method === 'GET';
  if (isPost) headers['idempotency-key'] ??= randomKey();
  const isEvents = (type?: string | null) => type?.startsWith('text/event-stream');
  for (let retries = 0; ; retries += 1) {
    headers['authorization'] = `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`;
    signal?.throwIfAborted();
    const ending = new AbortController();
    let watch = alarm(timeout, signal, () => {
      ending.abort(signal?.aborted ? signal.reason : new ConnectionTimeoutError('Timed out.'));
    });
    const isLast = retries >= maxRetries;
    // Half a second, doubled each time up to eight; by chance up to a half less, so that clients do not come in step.
    let wait = (Math.min(16, 2 ** retries) * (1 + Math.random())) / 4;
    try {
      const response = await fetch(input(), { method, headers, body, signal: ending.signal });
      const { ok, status } = response;
      const isStream =
        ok && isEvents(headers['accept']) && isEvents(response.headers.get('content-type'));
      const text = isStream ? undefined : await response.text();
      const asked = ok ? undefined : retryAfter(response.headers);
      const isPassing =
        // Refused before anything happened.
        status === 429 ||
        // With Retry-After, a conflict means that the first request with this key is still running.
        (isRepeatable &&
          (status > 499 || status === 408 || (status === 409 && asked !== undefined)));
      wait = asked ?? wait;
      if (!isStream) watch(-1);
      // Longer than a minute nobody waits for a retry.
      if (!isPassing || isLast || wait > 60) {
        return [response, text, watch, ending];
      }
    } catch (error) {
      watch(-1);
      if (signal?.aborted || isLast || !isRepeatable) throw failureOf(error, ending.signal);
    }
    // Ends early if the signal is aborted; the next round sees that.
    await new Promise<void>((resolve) => {
      watch = alarm(wait * 1000 || 1, signal, resolve);
    });
    watch(-1);
  }
}

function randomKey(): string {
  // Pages that were not loaded by https have no randomUUID.
  const source: Partial<typeof crypto> = crypto;
  return source.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** What a broken attempt rejects with: our own errors and the reason that it was ended for, as they are. */
export function failureOf(error: unknown, { aborted, reason }: AbortSignal): unknown {
  if (error instanceof AgentHostingError) return error;
  return aborted ? reason : brokenOff(error);
}

export function brokenOff(cause?: unknown): ConnectionError {
  return new ConnectionError('No answer: the connection failed or broke off.', { cause });
}
