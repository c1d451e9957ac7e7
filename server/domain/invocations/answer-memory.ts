/**
 * Counts the memory of answers on this instance, from the first byte of one until it is recorded and sent, so that no
 * number of them can exhaust the heap. Accounts share one half of it fairly. The other half is for one answer at a time, the
 * first that needs it, so that one always gets to its end where many grow together; after a pause, the next.
 */
import { approximateSize } from '../../lib/approximate-size.js';
import { createFairShares } from '../../lib/fair-shares.js';
import { createKnownSizes } from '../../lib/known-sizes.js';

export interface AnswerMemory {
  /**
   * The answer is held `holders` times: by its run, and by its response if somebody waits for one. The name is of what gives
   * answers of that size, such as an agent.
   */
  open: (accountId: string, holders: 1 | 2, name?: string) => AnswerReservation;
}

export interface AnswerReservation {
  /** Returns false if there is no room for so much more. */
  grow: (bytes: number) => boolean;
  /** Reserves what it will grow by, so that an answer which cannot be held is not even received. */
  expect: (bytes: number) => boolean;
  /** Reserves what the last one of that name took, if it was very long and there is room, so that others know it is taken. */
  expectUsual: () => void;
  /**
   * Whether the last one of that name was very long or found no room, and as much would find none now, so that it is not even asked
   * for. Now and then it is false, to let one find out.
   */
  isHopeless: () => boolean;
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

/**
 * Between two answers that take the second half: they are so long that to parse, record and send one after the other would
 * keep everybody else waiting. Whoever is refused is told to come again after as long.
 */
const exclusivePauseMs = 2_000;

export function createAnswerMemory(
  maxBytes: number,
  now: () => number = () => performance.now(),
): AnswerMemory {
  const half = Math.floor(maxBytes / 2);
  const shares = createFairShares(half);
  /** Holds the other half. */
  let exclusiveHolder: AnswerReservation | undefined;
  let pausedUntil = -Infinity;
  const knownSizes = createKnownSizes(now);

  // One that takes both halves fits where one of them is free: more is never asked for at a time.
  const note = (name: string | undefined, bytes: number) => {
    if (name !== undefined) knownSizes.note(name, Math.min(bytes, half));
  };
  // Only of answers so long that a few fill the memory: of others, the next may well be short.
  const learn = (name: string | undefined, bytes: number) => {
    if (bytes > half / 4) note(name, bytes);
    else if (name !== undefined) knownSizes.forget(name);
  };

  return {
    open(accountId, holders, name) {
      let shared = 0;
      let reserved = 0;
      let expected = 0;
      let remaining: number = holders;
      let isRefused = false;
      const mayHoldHalf = () =>
        exclusiveHolder ? exclusiveHolder === answer : now() >= pausedUntil;
      const fits = (bytes: number) =>
        shares.canTake(accountId, bytes) || (mayHoldHalf() && reserved + bytes <= half);
      const reserve = (bytes: number) => {
        if (!fits(bytes)) {
          isRefused = true;
          note(name, shared + reserved + bytes);
          return false;
        }
        if (shares.canTake(accountId, bytes)) {
          shares.take(accountId, bytes);
          shared += bytes;
        } else {
          exclusiveHolder = answer;
          reserved += bytes;
        }
        return true;
      };
      const answer: AnswerReservation = {
        expect(bytes) {
          // More than one answer can have may still be an answer that fits: escapes are longer than their characters.
          const more = Math.min(bytes, half) - expected;
          if (more <= 0) return true;
          const hasRoom = reserve(more);
          if (hasRoom) expected += more;
          return hasRoom;
        },
        expectUsual() {
          const usual = name === undefined ? undefined : knownSizes.of(name);
          if (usual !== undefined && fits(usual)) answer.expect(usual);
        },
        grow(bytes) {
          const known = Math.min(expected, bytes);
          expected -= known;
          return bytes === known || reserve(bytes - known);
        },
        isHopeless() {
          isRefused ||= name !== undefined && knownSizes.isTooLarge(name, fits);
          return isRefused;
        },
        release() {
          remaining -= 1;
          if (remaining > 0) return;
          if (!isRefused) learn(name, shared + reserved - expected);
          shares.release(accountId, shared);
          if (exclusiveHolder !== answer) return;
          exclusiveHolder = undefined;
          pausedUntil = now() + exclusivePauseMs;
        },
      };
      return answer;
    },
  };
}
