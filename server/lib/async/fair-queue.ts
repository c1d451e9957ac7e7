/**
 * The slots of a limited resource. An account may hold as many as it leaves free: alone it gets half of them, two accounts get a third
 * each, and there is always a free slot for another account. Those who wait get free slots in turn by account.
 */
import { Counts } from '../data/counts.js';
import { abortReason } from './abort.js';

/** Passes the slot on to the next in the queue. Further calls do nothing. */
export type Release = () => void;

interface EnterOptions {
  /** Leaves the queue and rejects with the signal's reason if it aborts before there is a slot. */
  signal?: AbortSignal;
  /** Waits in front of the others of its account. */
  isFirst?: boolean;
}

export class FairQueue {
  readonly #slots: number;
  #free: number;
  readonly #held = new Counts();
  /** By account, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(slots: number) {
    this.#slots = slots;
    this.#free = slots;
  }

  get free(): number {
    return this.#free;
  }

  /** Nobody holds a slot, so nobody waits either. */
  get isIdle(): boolean {
    return this.#free === this.#slots;
  }

  /** How many more slots the account may take, one after the other. */
  roomFor(account: string): number {
    return Math.max(0, Math.floor((this.#free - this.#held.of(account) + 1) / 2));
  }

  waitingOf(account: string): number {
    return this.#waiting.get(account)?.length ?? 0;
  }

  /** Resolves when the account gets a slot. */
  async enter(account: string, { signal, isFirst = false }: EnterOptions = {}): Promise<Release> {
    signal?.throwIfAborted();
    if (this.waitingOf(account) === 0 && this.roomFor(account) > 0) return this.take(account);
    return new Promise((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve(this.take(account));
      };
      const leave = () => {
        this.#leave(account, go);
        if (signal) reject(abortReason(signal));
      };
      const queue = this.#waiting.get(account) ?? [];
      this.#waiting.set(account, queue);
      if (isFirst) queue.unshift(go);
      else queue.push(go);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Runs the work in a slot of the account. */
  async run<Result>(account: string, work: () => Promise<Result>): Promise<Result> {
    const release = await this.enter(account);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Takes a slot without waiting, for callers that have asked for room. */
  take(account: string): Release {
    this.#free -= 1;
    this.#held.add(account, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      this.#held.add(account, -1);
      this.#serve();
    };
  }

  #leave(account: string, go: () => void): void {
    const others = this.#waiting.get(account)?.filter((one) => one !== go) ?? [];
    if (others.length > 0) this.#waiting.set(account, others);
    else this.#waiting.delete(account);
  }

  #serve(): void {
    for (const [account, queue] of this.#waiting) {
      if (this.roomFor(account) === 0) continue;
      const go = queue.shift();
      // Moves the account to the end, which this loop reaches after the others have had their turn.
      this.#waiting.delete(account);
      if (queue.length > 0) this.#waiting.set(account, queue);
      go?.();
    }
  }
}
