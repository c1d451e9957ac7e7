/** The model that needs nothing: it says what it was told. */
import type { Model } from '../model.js';

const maxPieces = 8;

/** A token is a word with the space that follows it, counted once as it is read and once as it is said. */
export const echo: Model = {
  generate: function* ({ message }) {
    const words = message.split(/(?<=\s)(?=\S)/);
    const wordsAPiece = Math.ceil(words.length / maxPieces);
    for (let first = 0; first < words.length; first += wordsAPiece) {
      yield { text: words.slice(first, first + wordsAPiece).join('') };
    }
    yield { tokensUsed: 2 * words.length };
  },
};
