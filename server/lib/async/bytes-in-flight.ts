/**
 * Limits the bytes that are held in memory at a time, to protect the heap. An account may hold as many as it leaves free, so that there
 * is always room for another one.
 */
import { Counts } from '../data/counts.js';

export interface Reservation {
  /** Returns false, and reserves nothing, if it would exceed the account's share. */
  grow: (bytes: number) => boolean;
  /** Releases everything. Further calls do nothing. */
  release: () => void;
}

export class BytesInFlight {
  readonly #capacity: number;
  #free: number;
  readonly #held = new Counts();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Whether an account could hold so many if nothing else were held. */
  couldHold(bytes: number): boolean {
    return 2 * bytes <= this.#capacity;
  }

  open(account: string): Reservation {
    let reserved = 0;
    const reserve = (bytes: number) => {
      this.#free -= bytes;
      this.#held.add(account, bytes);
      reserved += bytes;
    };
    return {
      grow: (bytes) => {
        if (this.#held.of(account) + bytes > this.#free - bytes) return false;
        reserve(bytes);
        return true;
      },
      release: () => {
        reserve(-reserved);
      },
    };
  }
}
