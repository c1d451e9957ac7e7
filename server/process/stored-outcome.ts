/** Stores an invocation's outcome as the response to repeats of its Idempotency-Key. */
import { errorOf, type InvocationParts } from '../domain/invocations/invocations.js';
import { toStoredResponse } from '../http/steps/idempotency.js';
import { errorResponse, toServiceError } from '../http/transport/error-response.js';
import { presentResult } from '../operations/invoke.js';
import type { IdempotencyRecords } from '../store/idempotency/records.js';

export function storedOutcome(records: IdempotencyRecords): InvocationParts['storedOutcome'] {
  return (id, requestId, outcome) => {
    const response =
      'completion' in outcome
        ? presentResult({ ...outcome.completion, requestId, durationMs: outcome.durationMs })
        : errorResponse(toServiceError(errorOf(outcome.failure)));
    return { id, owner: null, response: records.seal(id, toStoredResponse(response)) };
  };
}
