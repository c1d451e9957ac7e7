/**
 * Long texts that are read and sent once more, such as a stored answer: only when there is room for them beside the answers
 * of models, and one of an account at a time, so that no number of them exhausts the heap or keeps the others waiting.
 */
import { createTurns, type Turns } from '../lib/turns.js';
import { ClientDisconnected, unavailable } from './errors.js';
import { type AnswerMemory, bytesPerCharacter } from './invocations/answer-memory.js';

export interface LongTexts {
  /** Counts it until the response to the client is closed. Throws if there is no room for it now. */
  keep: (text: AnnouncedText) => void;
  /** Throws if one of that name found no room a moment ago, and would not now. */
  assertHope: (accountId: string, name: string) => void;
  /** Reads it in a turn of the account, unless the response is closed by then. */
  read: <Text>(
    response: Pick<AnnouncedText, 'accountId' | 'onClose'>,
    read: () => Promise<Text>,
  ) => Promise<Text>;
  /** Returns how to release it, or undefined if there is no room for it now. */
  hold: (accountId: string, characters: number) => (() => void) | undefined;
  /** To work at one, for as long as the event loop should be occupied. */
  takeTurn: Turns;
}

export interface AnnouncedText {
  accountId: string;
  /** Under which it is asked for again. */
  name?: string;
  /** About how many it has. */
  characters: number;
  /** Registers a listener for the end of the response, complete or not. */
  onClose: (listener: () => void) => void;
}

/** Texts up to this length are like any other. */
const shortText = 65_536;

export const isLong = (characters: number) => characters > shortText;

export function createLongTexts(answers: AnswerMemory): LongTexts {
  const takeTurn = createTurns();
  const hold = (accountId: string, characters: number, name?: string) => {
    const { expect, release } = answers.open(accountId, 1, name);
    if (expect(bytesPerCharacter * characters)) return release;
    release();
    return undefined;
  };
  return {
    keep({ accountId, name, characters, onClose }) {
      if (!isLong(characters)) return;
      const release = hold(accountId, characters, name);
      if (!release) throw unavailable(undefined);
      onClose(release);
    },
    assertHope(accountId, name) {
      if (answers.open(accountId, 1, name).isHopeless()) throw unavailable(undefined);
    },
    read({ accountId, onClose }, read) {
      const client = { isGone: false };
      onClose(() => {
        client.isGone = true;
      });
      return takeTurn(accountId, () => {
        if (client.isGone) throw new ClientDisconnected('It was not waited for.');
        return read();
      });
    },
    hold,
    takeTurn,
  };
}
