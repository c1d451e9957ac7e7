/** An ended invocation as the response to its request. */
import type { Invocation } from '../../generated/api.js';
import type { Claim } from '../accounts/operation-context.js';
import { type KeySettlement, toStoredResponse } from '../idempotency/sealed-response.js';
import { errorResponse } from '../contract/error-response.js';
import { errorOf } from './failure.js';
import type { InvocationOutcome, InvocationResult } from './invocation.js';
import { endingOf } from './record.js';

export function presentInvocation(result: InvocationResult): Invocation {
  return {
    response: result.response,
    request_id: result.requestId,
    tokens_used: result.tokensUsed,
    duration_ms: result.durationMs,
    ...endingOf(result),
  };
}

/** The Idempotency-Key of an invocation. */
export interface IdempotencyKey extends Pick<Claim, 'id'> {
  /** Null: the key is not held, since the request of an asynchronous invocation has its 202. */
  owner: string | null;
}

/**
 * What repeats of the request get. A failure of a request that still holds its key releases it, so that the request can be repeated, unless
 * tools have been called.
 */
export function settlementOf(
  key: IdempotencyKey | null,
  requestId: string,
  outcome: InvocationOutcome,
): KeySettlement | null {
  if (!key) return null;
  const { id, owner } = key;
  if ('completion' in outcome) {
    const { completion, durationMs } = outcome;
    const data = presentInvocation({ requestId, durationMs, ...completion });
    const response = toStoredResponse({ status: 200, body: { success: true, data } });
    return { id, owner, response };
  }
  const isReleased = owner !== null && !outcome.hasActed;
  const response = isReleased ? null : toStoredResponse(errorResponse(errorOf(outcome.failure)));
  return { id, owner, response };
}
