/**
 * Counts the memory of answers on this instance, from the first byte of one until it is recorded and sent, so that no
 * number of them can exhaust the heap. Accounts share one half of it fairly. The other half is for the oldest answer, so
 * that one always gets to its end where many grow together.
 */
import { approximateSize } from '../../lib/approximate-size.js';
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

/** What the message and its context take before there is an answer. */
export function bytesOfInput(message: string, context: object | null): number {
  return bytesPerCharacter * (message.length + approximateSize(context));
}

/** The text itself and its copies in the record, the event and the response. */
export const bytesPerCharacter = 4;
/** What each piece of a text costs besides, however short it is. */
export const bytesPerPiece = 128;

export function createAnswerMemory(maxBytes: number): AnswerMemory {
  const half = Math.floor(maxBytes / 2);
  const shares = createFairShares(half);
  /** In the order of their age. */
  const open = new Set<AnswerReservation>();
  const isOldest = (answer: AnswerReservation) => open.values().next().value === answer;

  return {
    open(accountId, holders) {
      let shared = 0;
      let reserved = 0;
      let remaining: number = holders;
      const answer: AnswerReservation = {
        grow(bytes) {
          if (shares.canTake(accountId, bytes)) {
            shares.take(accountId, bytes);
            shared += bytes;
            return true;
          }
          if (!isOldest(answer) || reserved + bytes > half) return false;
          reserved += bytes;
          return true;
        },
        release() {
          remaining -= 1;
          if (remaining > 0) return;
          shares.release(accountId, shared);
          open.delete(answer);
        },
      };
      open.add(answer);
      return answer;
    },
  };
}
