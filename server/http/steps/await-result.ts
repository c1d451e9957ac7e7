/** `Prefer: wait`: a repeat of an asynchronous request waits until its result is stored. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import type { FairQueue } from '../../lib/async/fair-queue.js';
import { parsePreferences } from '../../lib/net/preferences.js';
import { Counts } from '../../lib/data/counts.js';
import type { BeginOutcome } from '../../idempotency/records.js';
import { callerOf, type StepRequest } from '../transport/request.js';

/** Checks repeatedly until the outcome is no longer a 202, the time has elapsed or the client has disconnected. */
type AwaitResult = (
  req: StepRequest,
  res: Response,
  check: () => Promise<BeginOutcome>,
) => Promise<BeginOutcome>;

const maxWaitSeconds = 60;
const accepted = 202;
const firstPauseMs = 50;
const maxPauseMs = 1_000;

/** When `stopping` aborts, waiting requests receive their 202, and their clients can ask another instance. */
export function awaitResults(stopping: AbortSignal, databaseSlots: FairQueue): AwaitResult {
  // Every waiting request listens to the signal.
  setMaxListeners(0, stopping);
  const waiting = new Counts();

  return async (req, res, check) => {
    const begun = await check();
    const seconds = isPending(begun) ? waitSeconds(req) : 0;
    const { accountId, limits } = callerOf(req);
    if (seconds === 0 || waiting.of(accountId) >= limits.concurrentInvocations) return begun;
    waiting.add(accountId, 1);
    // Waiting needs no connection; each check takes a slot of its own.
    req.releaseSlot?.();
    req.releaseSlot = undefined;
    try {
      const deadline = performance.now() + seconds * 1000;
      let outcome = begun;
      let pauseMs = firstPauseMs;
      // Stops when the client has disconnected: a further check could claim a key that has become free.
      while (isPending(outcome) && performance.now() < deadline && !stopping.aborted) {
        const leftMs = deadline - performance.now();
        await pause(Math.min(pauseMs, leftMs), stopping);
        if (res.closed) break;
        pauseMs = Math.min(maxPauseMs, 2 * pauseMs);
        outcome = await databaseSlots.run(accountId, check);
      }
      return outcome;
    } finally {
      waiting.add(accountId, -1);
    }
  };
}

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
