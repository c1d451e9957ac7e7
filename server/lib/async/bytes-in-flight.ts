/** Counts the bytes of texts that requests hold in memory, so that no number of them exhausts the heap. */
import { createFairShares } from './fair-shares.js';

export interface BytesInFlight {
  open: (accountId: string) => Reservation;
}

export interface Reservation {
  /** Returns false, and counts nothing, if the account has no room for so much more. */
  grow: (bytes: number) => boolean;
  /** Gives back everything. Further calls do nothing. */
  release: () => void;
}

export function createBytesInFlight(capacity: number): BytesInFlight {
  const shares = createFairShares(capacity);
  return {
    open(accountId) {
      let reserved = 0;
      return {
        grow(bytes) {
          if (!shares.canTake(accountId, bytes)) return false;
          shares.take(accountId, bytes);
          reserved += bytes;
          return true;
        },
        release() {
          shares.release(accountId, reserved);
          reserved = 0;
        },
      };
    },
  };
}
