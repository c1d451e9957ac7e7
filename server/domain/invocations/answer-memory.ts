/**
 * Counts the memory of answers on this instance, from the first byte of one until it is recorded and sent, so that no
 * number of them can exhaust the heap. Accounts share it fairly.
 */
import { createFairShares } from '../../lib/fair-shares.js';

export interface AnswerMemory {
  /** The answer is held `holders` times: by its run, and by its response if somebody waits for one. */
  open: (accountId: string, holders: 1 | 2) => AnswerReservation;
}

export interface AnswerReservation {
  /** Returns false if there is no room for so much more. */
  grow: (bytes: number) => boolean;
  /** What each holder calls when it is done. */
  release: () => void;
}

/** The text itself and its copies in the record, the event and the response. */
export const bytesPerCharacter = 4;
/** What each piece of a text costs besides, however short it is. */
export const bytesPerPiece = 128;

export function createAnswerMemory(maxBytes: number): AnswerMemory {
  const shares = createFairShares(maxBytes);
  return {
    open(accountId, holders) {
      let held = 0;
      let remaining: number = holders;
      return {
        grow(bytes) {
          if (!shares.canTake(accountId, bytes)) return false;
          shares.take(accountId, bytes);
          held += bytes;
          return true;
        },
        release() {
          remaining -= 1;
          if (remaining === 0) shares.release(accountId, held);
        },
      };
    },
  };
}
