/** Limits concurrent database work per account, so that no account can use up the connections. */
import type { FairQueue } from '../../lib/async/fair-queue.js';
import { callerOf, type Step } from '../transport/request.js';

/**
 * Comes after the steps that wait for the client, so that a slow client holds no slot. Does nothing for a request that has a slot.
 */
export function acquireDatabaseSlot(queue: FairQueue): Step {
  return async (req, res, next) => {
    if (!req.releaseSlot) {
      const release = await queue.enter(callerOf(req).accountId);
      req.releaseSlot = release;
      // On close, so that an error in a later step frees the slot too.
      if (res.closed) release();
      else res.once('close', release);
      // A request that holds an Idempotency-Key runs without its client, so that a retry gets the response.
      if (res.closed && !req.idempotencyClaim) return;
    }
    next();
  };
}
