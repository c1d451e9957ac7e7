/** Makes one attempt at a claimed delivery: signs the event, sends it to its receiver, and returns the result to record. */
import { FairQueue } from '../../lib/async/fair-queue.js';
import { errorCode } from '../../lib/errors/error-code.js';
import type { Secrets } from '../../installation/key-ring.js';
import { guardedRequest, HostNotFound } from '../../lib/net/guarded-request.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { parseRetryAfter } from '../../lib/net/retry-after.js';
import { type TargetPolicy, TargetRefused } from '../../lib/net/target-address.js';
import { parseTraceParent } from '../../lib/net/trace-parent.js';
import type { TraceHeaders } from '../../models/observer.js';
import type { Database } from '../../postgres/database.js';
import { type DeliveryOutcome, noopTelemetry, type Telemetry } from '../../telemetry/telemetry.js';
import { openSecret } from '../webhooks.js';
import type { ClaimedDelivery, DeliveryLease } from './queue.sql.js';
import { retryDelay } from './retry.js';
import { signatureHeaders } from './signature.js';

export interface AttemptParts {
  database: Database;
  secrets: Secrets;
  targets: TargetPolicy;
  /** CA certificates to trust in addition to the default ones, in PEM. */
  ca?: string | undefined;
  /** Covers the whole attempt: DNS lookup, connecting, and waiting for the status. */
  timeoutMs?: number;
  onError: (error: unknown) => void;
  telemetry?: Telemetry;
}

export type AttemptResult = SucceededAttemptResult | FailedAttemptResult;

interface SucceededAttemptResult extends DeliveryLease {
  succeeded: true;
  statusCode: number;
}

export interface FailedAttemptResult extends DeliveryLease {
  succeeded: false;
  /** Null if there was no response. */
  statusCode: number | null;
  error: string;
  /** Null: this was the last attempt. */
  retryAfterMs: number | null;
  /** The receiver answered 410 Gone. */
  isGone: boolean;
  /** The delivered event, for the agent's log. */
  event: { agentId: string; requestId: string; type: string };
  /** The number of this attempt. */
  attempt: number;
}

/** Resolves to undefined if no attempt was made. Rejects if the signal is aborted or the database is unavailable. */
type Attempt = (
  delivery: ClaimedDelivery,
  signal: AbortSignal,
) => Promise<AttemptResult | undefined>;

const goneStatus = 410;

const userAgent = 'Agent-Hosting-Service-Webhooks/1.0';

/** Bounds memory: at most this many concurrent attempts load a large body. */
const maxLargeBodies = 32;

export function createAttempt(parts: AttemptParts): Attempt {
  const { database, telemetry = noopTelemetry } = parts;
  const largeBodies = new FairQueue(maxLargeBodies);

  const attemptOnce = async (
    delivery: ClaimedDelivery,
    signal: AbortSignal,
    traceHeaders: TraceHeaders,
  ) => {
    const startedAt = performance.now();
    const sendBody = async (body: Buffer) => {
      const waitedSeconds = Math.floor((performance.now() - startedAt) / 1000);
      const timestamp = delivery.claimedAt + waitedSeconds;
      return resultOf(
        delivery,
        await send(parts, delivery, { body, timestamp, signal, traceHeaders }),
      );
    };
    if (delivery.body !== null) return sendBody(delivery.body);
    return largeBodies.run(delivery.accountId, async () => {
      const body = await readEventBody(database, delivery);
      return body && sendBody(body);
    });
  };

  return async (delivery, signal) => {
    const scope = telemetry.delivery({
      ...delivery,
      attempt: delivery.attempts + 1,
      trace: parseTraceParent(delivery.traceContext),
    });
    let ended: Parameters<typeof scope.end>[0];
    try {
      if (!delivery.isEnabled) {
        await giveUp(database, delivery);
        ended = { outcome: 'disabled', status: null };
        return undefined;
      }
      const result = await attemptOnce(delivery, signal, scope.headers);
      ended = result && { outcome: reportedOutcome(result), status: result.statusCode };
      return result;
    } finally {
      scope.end(ended);
    }
  };
}

/** Marks a delivery to a disabled webhook as failed, if the lease is still held. */
async function giveUp(
  { prisma }: Database,
  { accountId, eventId, webhookId, owner }: DeliveryLease,
): Promise<void> {
  await prisma.delivery.updateMany({
    where: { accountId, eventId, webhookId, leaseOwner: owner, status: 'pending' },
    data: { status: 'failed', leaseOwner: null, lastError: 'The webhook was disabled.' },
  });
}

async function readEventBody(
  { prisma }: Database,
  { accountId, eventId: id }: DeliveryLease,
): Promise<Buffer | undefined> {
  const event = await prisma.event.findUnique({
    where: { accountId_id: { accountId, id } },
    select: { body: true },
  });
  return event
    ? Buffer.from(event.body.buffer, event.body.byteOffset, event.body.byteLength)
    : undefined;
}

function reportedOutcome(result: AttemptResult): DeliveryOutcome {
  if (result.succeeded) return 'delivered';
  if (result.isGone) return 'gone';
  return result.retryAfterMs === null ? 'failed' : 'retried';
}

interface Sending {
  body: Buffer;
  /** Of the signature, in Unix seconds. */
  timestamp: number;
  signal: AbortSignal;
  traceHeaders: TraceHeaders;
}

type Answer = { succeeded: true; status: number } | FailedAnswer;

interface FailedAnswer {
  succeeded: false;
  /** Null if there was no response. */
  status: number | null;
  /** A predicate: completes a sentence that starts with "The receiver". */
  error: string;
  /** The delay that the receiver asked for with Retry-After. */
  retryAfterMs?: number | undefined;
}

/** Rejects only if the signal is aborted. */
async function send(
  { secrets, targets, ca, timeoutMs = 15_000, onError }: AttemptParts,
  { eventId: id, webhookId, url, sealedSecret }: ClaimedDelivery,
  { body, timestamp, signal, traceHeaders }: Sending,
): Promise<Answer> {
  let secret: string;
  try {
    secret = openSecret(secrets, webhookId, sealedSecret);
  } catch (error) {
    onError(error);
    return noAnswer('was not contacted: its secret cannot be read');
  }
  // Not AbortSignal.timeout, which cannot be cleared and would retain the attempt in memory until it fires.
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, timeoutMs);
  try {
    const response = await guardedRequest(new URL(url), {
      ...targets,
      ca,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        ...traceHeaders,
        ...signatureHeaders(secret, { id, timestamp, body }),
      },
      body,
      maxBytes: 0,
      signal: AbortSignal.any([timeout.signal, signal]),
    });
    // The status decides. Whatever else the receiver sends is not read.
    response.body.destroy();
    return answerOf(response.status, response.headers['retry-after']);
  } catch (error) {
    signal.throwIfAborted();
    return noAnswer(
      timeout.signal.aborted
        ? `did not answer within ${timeoutMs / 1000} seconds`
        : describeError(error),
    );
  } finally {
    clearTimeout(timer);
  }
}

const noAnswer = (error: string): FailedAnswer => ({ succeeded: false, status: null, error });

function answerOf(status: number, retryAfter: string | undefined): Answer {
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

function resultOf(delivery: ClaimedDelivery, answer: Answer): AttemptResult {
  const { accountId, eventId, webhookId, owner, agentId, requestId, type, attempts } = delivery;
  const lease = { accountId, eventId, webhookId, owner };
  if (answer.succeeded) return { succeeded: true, statusCode: answer.status, ...lease };
  const { status: statusCode, error, retryAfterMs } = answer;
  const isGone = statusCode === goneStatus;
  return {
    succeeded: false,
    statusCode,
    error: `The receiver ${error}.`,
    retryAfterMs: isGone ? null : retryDelay(attempts + 1, { retryAfterMs }),
    isGone,
    event: { agentId, requestId, type },
    attempt: attempts + 1,
    ...lease,
  };
}
