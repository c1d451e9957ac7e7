/** Makes one delivery attempt: sends an event to its receiver and classifies the outcome. */
import { errorCode } from '../../lib/errors/error-code.js';
import { parseRetryAfter } from '../../lib/net/retry-after.js';
import { guardedRequest, HostNotFound } from '../../lib/net/guarded-request.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import type { TraceHeaders } from '../../models/observer.js';
import { type TargetPolicy, TargetRefused } from '../../lib/net/target-address.js';
import { type Signable, signatureHeaders } from './signature.js';

interface DeliveryRequest extends Signable {
  url: string;
  secret: string;
  traceHeaders?: TraceHeaders;
}

interface AttemptOptions {
  targets: TargetPolicy;
  /** CA certificates to trust in addition to the default ones, in PEM. */
  ca: string | undefined;
  /** Covers the whole attempt: DNS lookup, connecting, and waiting for the status. */
  timeoutMs: number;
  /** Aborts the attempt, which then rejects. */
  signal: AbortSignal;
}

export type AttemptOutcome = { succeeded: true; status: number } | FailedAttempt;

interface FailedAttempt {
  succeeded: false;
  /** Null if there was no response. */
  status: number | null;
  /** A predicate: completes a sentence that starts with "The receiver". */
  error: string;
  /** The delay that the receiver asked for with Retry-After. */
  retryAfterMs: number | undefined;
}

const userAgent = 'Agent-Hosting-Service-Webhooks/1.0';

/** Rejects only if the signal is aborted. */
export async function attempt(
  request: DeliveryRequest,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  // Not AbortSignal.timeout, which cannot be cleared and would retain the attempt in memory until it fires.
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, options.timeoutMs);
  try {
    const response = await guardedRequest(new URL(request.url), {
      ...options.targets,
      ca: options.ca,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...request.traceHeaders,
        ...signatureHeaders(request.secret, request),
      },
      body: request.body,
      maxBytes: 0,
      signal: AbortSignal.any([timeout.signal, options.signal]),
    });
    // The status decides. Whatever else the receiver sends is not read.
    response.body.destroy();
    return outcomeOf(response.status, response.headers['retry-after']);
  } catch (error) {
    options.signal.throwIfAborted();
    const description = timeout.signal.aborted
      ? `did not answer within ${options.timeoutMs / 1000} seconds`
      : describeError(error);
    return { succeeded: false, status: null, error: description, retryAfterMs: undefined };
  } finally {
    clearTimeout(timer);
  }
}

function outcomeOf(status: number, retryAfter: string | undefined): AttemptOutcome {
  if (status >= 200 && status < 300) return { succeeded: true, status };
  const redirect = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  return {
    succeeded: false,
    status,
    error: `answered ${status}${redirect}`,
    retryAfterMs: parseRetryAfter(retryAfter),
  };
}

/** Tells the receiver's owner what to fix, without disclosing anything about the service's own network. */
function describeError(error: unknown): string {
  if (error instanceof TargetRefused) return `was not contacted: its address ${error.reason}`;
  if (error instanceof HostNotFound) return 'was not contacted: its host has no address';
  if (error instanceof ResponseTooLarge) return 'sent too many informational responses (1xx)';
  const code = errorCode(error) ?? '';
  if (code === 'ECONNREFUSED') return 'refused the connection';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'closed the connection';
  if (code.startsWith('HPE_')) return 'did not answer in HTTP';
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(code)) {
    return `has a certificate that is not trusted (${code})`;
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'failed the TLS handshake';
  return code === '' ? 'did not send a complete response' : `could not be reached (${code})`;
}
