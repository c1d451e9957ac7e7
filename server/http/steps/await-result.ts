/** `Prefer: wait`: the repeat of an asynchronous request waits until its result is stored. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { parsePreferences } from '../../lib/preferences.js';
import { createTally } from '../../lib/tally.js';
import type { BeginOutcome } from '../../store/idempotency-records.js';
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
export function awaitResults(stopping: AbortSignal): AwaitResult {
  // Each of them waits on it.
  setMaxListeners(0, stopping);
  const waiting = createTally();

  return async (req, res, look) => {
    const begun = await look();
    const seconds = isPending(begun) ? waitSeconds(req) : 0;
    const { accountId, limits } = callerOf(req);
    if (seconds === 0 || waiting.of(accountId) >= limits.concurrentInvocations) return begun;
    // Nothing is asked of the database meanwhile, but for a look now and then.
    req.releaseSlot?.();
    waiting.add(accountId);
    try {
      return await lookUntil(performance.now() + seconds * 1000, res, look);
    } finally {
      waiting.remove(accountId);
    }
  };

  async function lookUntil(
    deadline: number,
    res: Response,
    look: () => Promise<BeginOutcome>,
  ): Promise<BeginOutcome> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, 2 * pauseMs)) {
      const leftMs = Math.max(0, deadline - performance.now());
      await delay(Math.min(pauseMs, leftMs), undefined, { signal: stopping }).catch(
        () => undefined,
      );
      const outcome = await look();
      const isOver = leftMs === 0 || stopping.aborted || res.closed;
      if (isOver || !isPending(outcome)) return outcome;
    }
  }
}

function waitSeconds(req: StepRequest): number {
  const wait = parsePreferences(String(req.headers['prefer'] ?? '')).get('wait') ?? '';
  return /^\d{1,6}$/.test(wait) ? Math.min(Number(wait), maxWaitSeconds) : 0;
}

function isPending(outcome: BeginOutcome): boolean {
  return outcome.outcome === 'replay' && outcome.response.status === accepted;
}
