/** Forwards webhook deliveries unchanged to another receiver, and returns its status. */
import { rootCause } from './error-messages.js';
import type { Delivery } from './webhook-receiver.js';

/** One second less than the service waits for a receiver, so that the service always gets a response. */
const timeoutMs = 14_000;

/** Hop-by-hop headers, and headers that fetch sets itself. */
const notForwarded = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface Forwarding {
  /** The status of the receiver, or a gateway error if it did not respond, so that the service tries again. */
  status: number;
  /** Why there was no response. */
  error?: string;
  /** Returned to the service, which waits that long before it tries again. */
  retryAfter?: string;
  durationMs: number;
}

/** The body is forwarded byte for byte, since the bytes are signed. Redirects are not followed. */
export async function forward(
  url: URL,
  { headers, body }: Delivery,
  signal: AbortSignal,
): Promise<Forwarding> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  const timeout = AbortSignal.timeout(timeoutMs);
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || notForwarded.has(name) ? [] : [[name, [value].flat().join(', ')]],
  );
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(entries) as Record<string, string>,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    });
    // The service ignores the body of the response.
    await response.body?.cancel();
    const retryAfter = response.headers.get('retry-after');
    const { status } = response;
    return { status, ...(retryAfter !== null && { retryAfter }), durationMs: elapsed() };
  } catch (error) {
    const durationMs = elapsed();
    if (timeout.aborted) {
      return { status: 504, error: `no response within ${timeoutMs / 1000} s`, durationMs };
    }
    const reason = error instanceof Error ? rootCause(error) : String(error);
    return { status: 502, error: reason, durationMs };
  }
}
