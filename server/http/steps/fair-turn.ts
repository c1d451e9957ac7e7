/**
 * Lets accounts take turns at the database. However many requests one account sends at a time, and whatever they wait
 * for in the database, the others find connections free.
 */
import type { FairQueue } from '../../lib/fair-queue.js';
import { callerOf, type Step } from '../transport/request.js';

/** Comes after everything that waits for the client, so that a slow one holds no place. */
export function takeTurn(queue: FairQueue): Step {
  return async (req, res, next) => {
    const release = await queue.enter(callerOf(req).accountId);
    if (res.closed) {
      // The client went away while it waited.
      release();
      return;
    }
    req.endTurn = release;
    // Also after an error in any later step.
    res.once('close', release);
    next();
  };
}
