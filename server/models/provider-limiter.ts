/**
 * Keeps the calls of a model within its provider's rate limit, together, instead of each call for itself.
 *
 * A burst begins like a TCP connection: few calls are sent before it is known whether the provider accepts them, and each accepted
 * call lets one more go. After a 429 all calls pause; then they go out at the pace that the provider last accepted, which grows until
 * the next 429. Lines of calls with the same key get their turns in rotation.
 */
import { FairQueue, type Release } from '../lib/async/fair-queue.js';
import { createWakeUp } from '../lib/async/wake-up.js';
import { ModelFailure } from './model.js';

export interface LimitedCall {
  /** Calls with the same key wait in one line. */
  queueKey: string;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadline: number;
  /** A call that would have to pause longer fails instead. With 0, it also fails if it would have to wait in line. */
  maxPauseMs: number;
  /** Whether it was rejected before, and goes on in front of the later calls of its line. */
  isRepeat: boolean;
}

/** A call that may be sent now. Each must be ended. */
export interface SentCall {
  /** The provider has begun to answer. */
  accepted: () => void;
  /** The provider's rate limit rejected the call. */
  rejected: (retryAfterMs: number | undefined) => void;
  end: () => void;
}

/** How many calls may be undecided, that is neither accepted nor rejected, at the beginning and after a 429. */
const firstWindow = 8;
/** A provider that has not rejected a call by then is only slow, and must not hold up other calls. */
const decidedWithinMs = 1_000;
/** Rejections that name no delay double the pause, until a call is accepted. */
const firstPauseMs = 500;
const maxOwnPauseMs = 20_000;
/** However long the pause that a provider asks for, a call finds out once a minute whether it is still needed. */
const maxPauseMs = 60_000;
/** How long after a pause calls are paced. */
const pacedMs = 60_000;
const growthPerSecond = 1.1;
/** How much of a pace's delay can be made up for, since timers are late. */
const maxCatchUpMs = 20;
/** How long before its deadline a waiting call gives up, so that it can still say why. */
const givesUpMs = 100;

interface Waiting {
  call: LimitedCall;
  giveUp: AbortController;
}

/** The last 429. The times are those of `performance.now()`. */
interface RateLimit {
  at: number;
  /** Calls of the second before that were not rejected. Many are not yet accepted then, since models take time to begin. */
  pace: number;
  pausedUntil: number;
  /** The number of pauses in which no call got through. */
  pauses: number;
  /** Calls since then that were not rejected. */
  got: number;
}

export class ProviderLimiter {
  readonly #firstPauseMs: number;
  /** The call that is sent next holds the only slot. */
  readonly #queue = new FairQueue(1);
  readonly #waiting = new Set<Waiting>();
  /** Wakes the call that is sent next when a decision has made room. */
  readonly #decided = createWakeUp();
  #window = firstWindow;
  #undecided = 0;
  #limit: RateLimit | undefined;
  /** When the calls of the last second were sent, without those that were rejected. */
  #sentAt: number[] = [];
  /** When the pace allows the next call. */
  #nextAt = 0;

  /** Tests shorten the first pause. */
  constructor(options: { firstPauseMs?: number | undefined } = {}) {
    this.#firstPauseMs = options.firstPauseMs ?? firstPauseMs;
  }

  /** Resolves when the call may be sent. Throws a rate-limited ModelFailure if that would be too late, or the signal's reason. */
  async enter(call: LimitedCall): Promise<SentCall> {
    call.signal.throwIfAborted();
    if (this.#queue.isIdle && this.#waitMs() === 0) return this.#send();
    const refusal = this.#refusal(call);
    if (refusal) throw refusal;
    return this.#wait(call);
  }

  /** How long calls are paused from now on; 0 if they are not. */
  pauseMs(): number {
    return Math.max(0, (this.#limit?.pausedUntil ?? 0) - performance.now());
  }

  async #wait(call: LimitedCall): Promise<SentCall> {
    const giveUp = new AbortController();
    const waiting = { call, giveUp };
    const lastMoment = setTimeout(
      () => {
        // Otherwise the provider is slow, and the call fails at its deadline as if it had been sent.
        if (this.#isLimited(performance.now())) giveUp.abort(this.#notSent());
      },
      call.deadline - givesUpMs - Date.now(),
    );
    this.#waiting.add(waiting);
    const signal = AbortSignal.any([call.signal, giveUp.signal]);
    let leave: Release | undefined;
    try {
      leave = await this.#queue.enter(call.queueKey, { signal, isFirst: call.isRepeat });
      while (this.#waitMs() > 0) await this.#decided.wait(Math.ceil(this.#waitMs()), signal);
      signal.throwIfAborted();
      return this.#send();
    } finally {
      leave?.();
      this.#waiting.delete(waiting);
      clearTimeout(lastMoment);
    }
  }

  /** 0 if a call may be sent now. */
  #waitMs(): number {
    const now = performance.now();
    // A decision ends the wait earlier.
    if (this.#undecided >= this.#window) return decidedWithinMs;
    if (!this.#isLimited(now)) return 0;
    return Math.max(0, (this.#limit?.pausedUntil ?? 0) - now, this.#nextAt - now);
  }

  #isLimited(now: number): boolean {
    if (this.#limit && now > this.#limit.pausedUntil + pacedMs) this.#limit = undefined;
    return this.#limit !== undefined;
  }

  /** Calls per second. */
  #rate({ pace, pausedUntil }: RateLimit, now: number): number {
    return Math.max(1, pace) * growthPerSecond ** Math.max(0, (now - pausedUntil) / 1000);
  }

  #send(): SentCall {
    const now = performance.now();
    this.#undecided += 1;
    this.#sentAt = [...this.#lastSecond(now), now];
    if (this.#limit) {
      this.#limit.got += 1;
      const due = Math.max(this.#nextAt, now - maxCatchUpMs);
      this.#nextAt = due + 1000 / this.#rate(this.#limit, now);
    }
    let isDecided = false;
    const decide = (isAccepted: boolean) => {
      if (isDecided) return;
      isDecided = true;
      clearTimeout(timer);
      // It grows only while it is what holds calls back, so that a quiet hour does not open it for a sudden burst.
      if (isAccepted && this.#undecided >= this.#window) this.#window += 1;
      this.#undecided -= 1;
      this.#decided.wake();
    };
    const timer = setTimeout(decide, decidedWithinMs, true);
    return {
      accepted: () => {
        decide(true);
      },
      rejected: (retryAfterMs) => {
        this.#pause(now, retryAfterMs);
        decide(false);
      },
      end: () => {
        decide(false);
      },
    };
  }

  #lastSecond(now: number): number[] {
    const first = this.#sentAt.findIndex((at) => at > now - 1000);
    return first < 0 ? [] : this.#sentAt.slice(first);
  }

  #pause(sentAt: number, retryAfterMs: number | undefined): void {
    const now = performance.now();
    const last = this.#isLimited(now) ? this.#limit : undefined;
    const index = this.#sentAt.indexOf(sentAt);
    if (index >= 0) this.#sentAt.splice(index, 1);
    // Calls that were sent before the last 429 do not say that its pause was too short.
    const isSame = last !== undefined && sentAt < last.at;
    const limit = isSame ? last : this.#newLimit(now, last);
    if (isSame) limit.pace -= 1;
    const ownPauseMs = Math.min(maxOwnPauseMs, this.#firstPauseMs * 2 ** (limit.pauses - 1));
    const pauseMs = Math.min(maxPauseMs, withJitter(retryAfterMs || ownPauseMs));
    limit.pausedUntil = Math.max(limit.pausedUntil, now + pauseMs);
    this.#limit = limit;
    for (const { call, giveUp } of this.#waiting) {
      const refusal = this.#refusal(call);
      if (refusal) giveUp.abort(refusal);
    }
  }

  #newLimit(now: number, last: RateLimit | undefined): RateLimit {
    this.#window = firstWindow;
    this.#nextAt = 0;
    // The rejected call itself is counted in `got`.
    const pauses = last && last.got <= 1 ? last.pauses + 1 : 1;
    return { at: now, pace: this.#lastSecond(now).length, pausedUntil: 0, pauses, got: 0 };
  }

  /** Undefined if it makes sense for the call to wait. */
  #refusal({ deadline, maxPauseMs: longest }: LimitedCall): ModelFailure | undefined {
    if (!this.#isLimited(performance.now())) return undefined;
    const pauseMs = this.pauseMs();
    const isTooLong = longest === 0 || pauseMs > longest || Date.now() + pauseMs >= deadline;
    return isTooLong ? this.#notSent() : undefined;
  }

  #notSent(): ModelFailure {
    const rate = this.#limit ? this.#rate(this.#limit, performance.now()) : 1;
    return new ModelFailure('the provider is limiting its rate, so the call was not sent', {
      retryable: true,
      rateLimited: true,
      retryAfterMs: this.pauseMs() + (1000 * this.#waiting.size) / rate,
    });
  }
}

/** Up to a fifth longer, so that those who were told the same delay do not return together. */
export function withJitter(delayMs: number): number {
  return delayMs * (1 + Math.random() / 5);
}
