/** Keeps one account from using up the event loop or the database, however many requests it sends at a time. */
import type { FairQueue } from '../../lib/fair-queue.js';
import type { Pacer } from '../../lib/pacer.js';
import { callerOf, type Step } from '../transport/request.js';

export function paceAccount(pace: Pacer): Step {
  return async (req, res, next) => {
    await pace(callerOf(req).accountId);
    // The client may have gone away while it waited.
    if (!res.closed) next();
  };
}

/**
 * Whatever the requests of one account wait for in the database, the others find connections free. Comes after
 * everything that waits for the client, so that a slow one holds no slot.
 */
export function acquireSlot(queue: FairQueue): Step {
  return async (req, res, next) => {
    if (!req.releaseSlot) {
      const release = await queue.enter(callerOf(req).accountId);
      req.releaseSlot = release;
      // Also after an error in any later step.
      if (res.closed) release();
      else res.once('close', release);
      // What has begun under a key is carried out for whoever repeats it.
      if (res.closed && !req.idempotencyClaim) return;
    }
    next();
  };
}
