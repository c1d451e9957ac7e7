/** Makes one attempt at a claimed delivery and returns the result to record. */
import { openSecret } from '../webhooks.js';
import type { Secrets } from '../../installation/key-ring.js';
import type { TraceHeaders } from '../../models/observer.js';
import { type DeliveryOutcome, noopTelemetry, type Telemetry } from '../../telemetry/telemetry.js';
import { parseTraceParent } from '../../lib/net/trace-parent.js';
import type { TargetPolicy } from '../../lib/net/target-address.js';
import { FairQueue } from '../../lib/async/fair-queue.js';
import {
  type AttemptResult,
  type ClaimedDelivery,
  giveUpDelivery,
  readEventBody,
} from './delivery-rows.js';
import type { Database } from '../../postgres/database.js';
import { attempt, type AttemptOutcome } from './attempt.js';
import { retryDelay } from './retry.js';

export interface DeliveryParts {
  database: Database;
  secrets: Secrets;
  targets: TargetPolicy;
  /** CA certificates to trust in addition to the default ones, in PEM. */
  ca?: string | undefined;
  /** Covers a whole attempt. */
  timeoutMs?: number;
  onError: (error: unknown) => void;
  telemetry?: Telemetry;
}

/** Resolves to undefined if no attempt was made. Rejects if the signal is aborted or the database is unavailable. */
type Deliver = (
  delivery: ClaimedDelivery,
  signal: AbortSignal,
) => Promise<AttemptResult | undefined>;

const goneStatus = 410;

/** Bounds memory: at most this many concurrent attempts load a large body. */
const maxLargeBodies = 32;

export function createDeliver(parts: DeliveryParts): Deliver {
  const { database, telemetry = noopTelemetry } = parts;
  const largeBodies = new FairQueue(maxLargeBodies);

  const attemptOnce = async (
    delivery: ClaimedDelivery,
    signal: AbortSignal,
    traceHeaders: TraceHeaders,
  ) => {
    const startedAt = performance.now();
    const send = (body: Buffer) => {
      const waitedSeconds = Math.floor((performance.now() - startedAt) / 1000);
      const timestamp = delivery.claimedAt + waitedSeconds;
      return sendOnce(parts, delivery, { body, timestamp, signal, traceHeaders });
    };
    const outcome =
      delivery.body === null
        ? await largeBodies.run(delivery.accountId, async () => {
            const body = await readEventBody(database, delivery);
            return body && send(body);
          })
        : await send(delivery.body);
    return outcome && resultOf(delivery, outcome);
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
        await giveUpDelivery(database, delivery, 'The webhook was disabled.');
        ended = { outcome: 'disabled', status: null };
        return undefined;
      }
      const result = await attemptOnce(delivery, signal, scope.headers);
      ended = result && { outcome: outcomeOf(result), status: result.statusCode };
      return result;
    } finally {
      scope.end(ended);
    }
  };
}

function outcomeOf(result: AttemptResult): DeliveryOutcome {
  if (result.succeeded) return 'delivered';
  if (result.isGone) return 'gone';
  return result.retryAfterMs === null ? 'failed' : 'retried';
}

interface Sending {
  body: Buffer;
  timestamp: number;
  signal: AbortSignal;
  traceHeaders: TraceHeaders;
}

async function sendOnce(
  { secrets, targets, ca, timeoutMs = 15_000, onError }: DeliveryParts,
  { eventId, webhookId, url, sealedSecret }: ClaimedDelivery,
  { body, timestamp, signal, traceHeaders }: Sending,
): Promise<AttemptOutcome> {
  let secret: string;
  try {
    secret = openSecret(secrets, webhookId, sealedSecret);
  } catch (error) {
    onError(error);
    const description = 'was not contacted: its secret cannot be read';
    return { succeeded: false, status: null, error: description, retryAfterMs: undefined };
  }
  const request = { id: eventId, timestamp, body, url, secret, traceHeaders };
  return attempt(request, { targets, ca, timeoutMs, signal });
}

function resultOf(delivery: ClaimedDelivery, outcome: AttemptOutcome): AttemptResult {
  const { accountId, eventId, webhookId, owner, agentId, requestId, type, attempts } = delivery;
  if (outcome.succeeded) {
    const statusCode = outcome.status;
    return { accountId, eventId, webhookId, owner, succeeded: true, statusCode };
  }
  const isGone = outcome.status === goneStatus;
  const retryAfterMs = isGone
    ? null
    : retryDelay(attempts + 1, { retryAfterMs: outcome.retryAfterMs });
  return {
    accountId,
    eventId,
    webhookId,
    owner,
    succeeded: false,
    statusCode: outcome.status,
    error: `The receiver ${outcome.error}.`,
    retryAfterMs,
    isGone,
    event: { agentId, requestId, type },
    attempt: attempts + 1,
  };
}
