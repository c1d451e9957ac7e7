/** Keeps one account from using up the connections to the database, however many requests it sends at a time. */
import type { FairQueue } from '../../lib/async/fair-queue.js';
import { callerOf, type Step } from '../transport/request.js';

/**
 * Comes after everything that waits for the client, so that a slow one holds no slot. Does nothing for a request that has a slot.
 */
export function acquireSlot(queue: FairQueue): Step {
  return async (req, res, next) => {
    if (!req.releaseSlot) {
      const release = await queue.enter(callerOf(req).accountId);
      req.releaseSlot = release;
      // Also after an error in any later step.
      if (res.closed) release();
      else res.once('close', release);
      // A request that has begun under an Idempotency-Key is carried out, and answers the repeat.
      if (res.closed && !req.idempotencyClaim) return;
    }
    next();
  };
}
