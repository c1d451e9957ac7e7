/** `Prefer: wait`: the repeat of an asynchronous request waits until its result is stored. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { type FairQueue, inSlot } from '../../lib/async/fair-queue.js';
import { parsePreferences } from '../../lib/net/preferences.js';
import { createTally } from '../../lib/async/tally.js';
import type { BeginOutcome } from '../../store/idempotency/records.js';
import { callerOf, type StepRequest } from '../transport/request.js';

/** Looks again and again until there is another outcome than 202, the time is over or the client is gone. */
export type AwaitResult = (
  req: StepRequest,
  res: Response,
  look: () => Promise<BeginOutcome>,
) => Promise<BeginOutcome>;

const maxWaitSeconds = 60;
const accepted = 202;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/** `stopping` ends all waiting: whoever waits then gets its 202, and asks another instance. */
export function awaitResults(stopping: AbortSignal, slots: FairQueue): AwaitResult {
  // Each of them waits on it.
  setMaxListeners(0, stopping);
  const waiting = createTally();

  return async (req, res, look) => {
    const begun = await look();
    const seconds = isPending(begun) ? waitSeconds(req) : 0;
    const { accountId, limits } = callerOf(req);
    if (seconds === 0 || waiting.of(accountId) >= limits.concurrentInvocations) return begun;
    waiting.add(accountId);
    // Waiting needs no connection; each look takes a slot of its own.
    req.releaseSlot?.();
    req.releaseSlot = undefined;
    try {
      const deadline = performance.now() + seconds * 1000;
      let outcome = begun;
      let pauseMs = firstPauseMs;
      // Nobody looks for a client that is gone: it might claim a key that is free by then.
      while (isPending(outcome) && performance.now() < deadline && !stopping.aborted) {
        const leftMs = deadline - performance.now();
        await pause(Math.min(pauseMs, leftMs), stopping);
        if (res.closed) break;
        pauseMs = Math.min(maxPauseMs, 2 * pauseMs);
        outcome = await inSlot(slots, accountId, look);
      }
      return outcome;
    } finally {
      waiting.remove(accountId);
    }
  };
}

/** The signal ends it early. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}

function waitSeconds(req: StepRequest): number {
  const wait = parsePreferences(String(req.headers['prefer'] ?? '')).get('wait') ?? '';
  return /^\d{1,6}$/.test(wait) ? Math.min(Number(wait), maxWaitSeconds) : 0;
}

function isPending(outcome: BeginOutcome): boolean {
  return outcome.outcome === 'replay' && outcome.response.status === accepted;
}
