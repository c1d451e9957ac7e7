/** One attempt: sends an event to its receiver, and finds out what became of it. */
import type { Readable } from 'node:stream';
import { errorCode } from '../lib/error-code.js';
import { parseRetryAfter } from '../lib/retry-after.js';
import { guardedRequest, HostNotFound } from '../lib/guarded-request.js';
import { type TargetPolicy, TargetRefused } from '../lib/target-address.js';
import { type Signable, signatureHeaders } from './signature.js';

export interface DeliveryRequest extends Signable {
  url: string;
  secret: string;
}

export interface AttemptOptions {
  targets: TargetPolicy;
  /** Certificates to trust besides the well-known ones, in PEM. */
  ca: string | undefined;
  /** For everything together: finding the host, connecting, and the whole answer. */
  timeoutMs: number;
  /** Ends the attempt early; then there is no outcome. */
  signal: AbortSignal;
}

export type AttemptOutcome = { succeeded: true; status: number } | FailedAttempt;

export interface FailedAttempt {
  succeeded: false;
  /** Null if there was no answer. */
  status: number | null;
  /** What the receiver did, as the end of a sentence about it. */
  error: string;
  /** How long the receiver wants to be left alone. */
  retryAfterMs: number | undefined;
}

const userAgent = 'Agent-Hosting-Service-Webhooks/1.0';
const maxAnswerBytes = 65_536;

/** Throws only if the signal ends it. */
export async function attempt(
  sending: DeliveryRequest,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  // A timer of our own, since AbortSignal.timeout would keep the attempt in memory until the time is over.
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, options.timeoutMs);
  try {
    const response = await guardedRequest(new URL(sending.url), {
      ...options.targets,
      ca: options.ca,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...signatureHeaders(sending.secret, sending),
      },
      body: sending.body,
      signal: AbortSignal.any([timeout.signal, options.signal]),
    });
    await drain(response.body);
    return outcomeOf(response.status, response.headers['retry-after']);
  } catch (error) {
    options.signal.throwIfAborted();
    const told = timeout.signal.aborted
      ? `did not answer within ${options.timeoutMs / 1000} seconds`
      : describeError(error);
    return { succeeded: false, status: null, error: told, retryAfterMs: undefined };
  } finally {
    clearTimeout(timer);
  }
}

/** An answer counts when it has ended, or when it is longer than anybody would read. */
async function drain(body: Readable): Promise<void> {
  let read = 0;
  for await (const chunk of body) {
    if (chunk instanceof Uint8Array) read += chunk.length;
    // Leaving the loop closes the connection.
    if (read >= maxAnswerBytes) return;
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

/** In words that tell the owner of the receiver what to look for, and nothing about our own network. */
function describeError(error: unknown): string {
  if (error instanceof TargetRefused) return `was not contacted: its address ${error.reason}`;
  if (error instanceof HostNotFound) return 'was not contacted: its host has no address';
  const code = errorCode(error) ?? '';
  if (code === 'ECONNREFUSED') return 'refused the connection';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'broke the connection off';
  if (code.startsWith('HPE_')) return 'did not answer in HTTP';
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(code)) {
    return `has a certificate that is not trusted (${code})`;
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'does not speak TLS as it should';
  return code === '' ? 'gave no complete answer' : `could not be reached (${code})`;
}
