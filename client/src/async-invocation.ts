/** Asynchronous invocations: accepted at once; repeating the request with its Idempotency-Key returns the result. */
import type { ApiPromise } from './api-promise.js';
import type { AcceptedInvocation } from './generated/schema.js';
import type { InvocationResult } from './invocation.js';
import { sleep, startTimeout } from './timeout.js';

/**
 * Resolves to the id of the invocation as soon as the service has stored it, or to the result if it is already there.
 * `result` waits for the result.
 */
export interface AsyncInvocation extends ApiPromise<AcceptedInvocation | InvocationResult> {
  /** For 24 hours, the same call with this key, even from another process, returns the same invocation. */
  readonly idempotencyKey: string;
  /** Waits for the result; rejects with the error of an invocation that failed. */
  result: (options?: ResultOptions) => Promise<InvocationResult>;
}

export interface ResultOptions {
  /** Stops waiting, but not the invocation; by default the signal of the call. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the result: 600 000 by default; 0 for no limit. */
  timeout?: number | undefined;
}

const initialPollIntervalMs = 250;
const maxPollIntervalMs = 5_000;

/** Sends the request. The service may hold a repeated request until there is a result. */
type Submit = (
  signal: AbortSignal | undefined,
  isRepeat: boolean,
) => ApiPromise<AcceptedInvocation | InvocationResult>;

export function createAsyncInvocation(
  submit: Submit,
  idempotencyKey: string,
  callSignal: AbortSignal | undefined,
): AsyncInvocation {
  const submitted = submit(callSignal, false);
  const result = async ({ timeout = 600_000, signal = callSignal }: ResultOptions = {}) => {
    const limit = startTimeout(timeout, signal, 'No result');
    try {
      let answer = await submitted;
      for (let interval = initialPollIntervalMs; !('response' in answer); interval *= 1.5) {
        const next = Date.now() + Math.min(interval, maxPollIntervalMs);
        signal?.throwIfAborted();
        answer = await submit(limit.signal, true);
        // No pause is left if the service has held the request for that long.
        if (!('response' in answer)) await sleep(next - Date.now(), limit.signal);
      }
      return answer;
    } finally {
      limit.stop();
    }
  };
  return Object.assign(submitted, { idempotencyKey, result });
}
