/** A built-in model that echoes the message. */
import type { Model } from '../model.js';

export const echoModel = 'builtin/echo';

const maxChunks = 8;

/** A token is a word with the whitespace after it, counted once as input and once as output. */
export const echo: Model = {
  generate: function* ({ message }) {
    const words = message.split(/(?<=\s)(?=\S)/);
    const wordsPerChunk = Math.ceil(words.length / maxChunks);
    for (let first = 0; first < words.length; first += wordsPerChunk) {
      yield { text: words.slice(first, first + wordsPerChunk).join('') };
    }
    const { length } = words;
    yield { tokensUsed: 2 * length, inputTokens: length, outputTokens: length };
  },
};
