/** Limits the bytes that are held in memory at a time, with a fair share for each owner, to protect the heap. */
import { createFairShares } from './fair-shares.js';

export interface BytesInFlight {
  open: (owner: string) => Reservation;
}

export interface Reservation {
  /** Returns false, and reserves nothing, if it would exceed the owner's share. */
  grow: (bytes: number) => boolean;
  /** Releases everything. Further calls do nothing. */
  release: () => void;
}

export function createBytesInFlight(capacity: number): BytesInFlight {
  const shares = createFairShares(capacity);
  return {
    open(owner) {
      let reserved = 0;
      return {
        grow(bytes) {
          if (!shares.canTake(owner, bytes)) return false;
          shares.take(owner, bytes);
          reserved += bytes;
          return true;
        },
        release() {
          shares.release(owner, reserved);
          reserved = 0;
        },
      };
    },
  };
}
