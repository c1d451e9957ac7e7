/** Makes one attempt at a claimed delivery and returns the result to record. */
import { openSecret } from '../domain/webhooks.js';
import { limitConcurrency } from './concurrency.js';
import type { Secrets } from '../lib/secrets.js';
import type { TargetPolicy } from '../lib/target-address.js';
import { newId } from '../lib/typeid.js';
import {
  type AttemptResult,
  type ClaimedDelivery,
  type FailureLog,
  giveUpDelivery,
  readEventBody,
} from '../store/deliveries.js';
import type { Database } from '../store/database.js';
import { attempt, type FailedAttempt, type AttemptOutcome } from './attempt.js';
import { maxAttempts, retryDelay, formatDelay } from './retry.js';

export interface DeliveryParts {
  database: Database;
  secrets: Secrets;
  targets: TargetPolicy;
  /** CA certificates to trust in addition to the default ones, in PEM. */
  ca?: string | undefined;
  /** Covers a whole attempt. */
  timeoutMs?: number;
  onError: (error: unknown) => void;
}

/** Undefined if no attempt was made. Rejects if the signal is aborted or the database is unavailable. */
export type Deliver = (
  delivery: ClaimedDelivery,
  signal: AbortSignal,
) => Promise<AttemptResult | undefined>;

const goneStatus = 410;

/** Bounds memory: large bodies are loaded for this many concurrent attempts only. */
const maxLargeBodies = 8;

export function createDeliver(parts: DeliveryParts): Deliver {
  const { database } = parts;
  const withLargeBody = limitConcurrency(maxLargeBodies);
  return async (delivery, signal) => {
    if (!delivery.isEnabled) {
      await giveUpDelivery(database, delivery, 'The webhook was disabled.');
      return undefined;
    }
    const startedAt = performance.now();
    const send = (body: Buffer) => {
      const waitedSeconds = Math.floor((performance.now() - startedAt) / 1000);
      const timestamp = delivery.claimedAt + waitedSeconds;
      return sendOnce(parts, delivery, { body, timestamp, signal });
    };
    const outcome =
      delivery.body === null
        ? await withLargeBody(async () => {
            const body = await readEventBody(database, delivery.eventId);
            return body && send(body);
          })
        : await send(delivery.body);
    return outcome && resultOf(delivery, outcome);
  };
}

async function sendOnce(
  { secrets, targets, ca, timeoutMs = 15_000, onError }: DeliveryParts,
  { eventId, webhookId, url, sealedSecret }: ClaimedDelivery,
  { body, timestamp, signal }: { body: Buffer; timestamp: number; signal: AbortSignal },
): Promise<AttemptOutcome> {
  let secret: string;
  try {
    secret = openSecret(secrets, webhookId, sealedSecret);
  } catch (error) {
    onError(error);
    const description = 'was not contacted: its secret cannot be read';
    return { succeeded: false, status: null, error: description, retryAfterMs: undefined };
  }
  return attempt({ id: eventId, timestamp, body, url, secret }, { targets, ca, timeoutMs, signal });
}

function resultOf(delivery: ClaimedDelivery, outcome: AttemptOutcome): AttemptResult {
  const { eventId, webhookId, owner } = delivery;
  if (outcome.succeeded) {
    return { eventId, webhookId, owner, succeeded: true, statusCode: outcome.status };
  }
  const isGone = outcome.status === goneStatus;
  const retryAfterMs = isGone
    ? null
    : retryDelay(delivery.attempts + 1, { retryAfterMs: outcome.retryAfterMs });
  return {
    eventId,
    webhookId,
    owner,
    succeeded: false,
    statusCode: outcome.status,
    error: `The receiver ${outcome.error}.`,
    retryAfterMs,
    isGone,
    log: logOf(delivery, outcome, retryAfterMs),
  };
}

function logOf(
  { eventId, webhookId, agentId, requestId, type, attempts }: ClaimedDelivery,
  { status, error }: FailedAttempt,
  retryAfterMs: number | null,
): FailureLog {
  const attemptNumber = attempts + 1;
  const next =
    retryAfterMs === null
      ? 'It was the last one.'
      : `The next one is in ${formatDelay(retryAfterMs)}.`;
  return {
    id: newId('log'),
    agentId,
    requestId,
    message: `Delivery of ${type} to webhook ${webhookId} failed: the receiver ${error}. This was attempt ${attemptNumber} of ${maxAttempts}. ${next}`,
    metadata: {
      webhook_id: webhookId,
      event_id: eventId,
      event: type,
      attempt: attemptNumber,
      status_code: status,
    },
  };
}
