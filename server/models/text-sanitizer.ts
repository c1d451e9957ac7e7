/** Makes a model's text storable, chunk by chunk. */
import { storable } from '../lib/text/storable.js';

interface TextSanitizer {
  /** Returns the text that is complete so far, without a trailing high surrogate, which waits for its other half. */
  push: (text: string) => string;
  /** Returns the rest of the text. */
  end: () => string;
}

export function createTextSanitizer(): TextSanitizer {
  let held = '';
  return {
    push(text) {
      const pending = held + text;
      held = endsWithHighSurrogate(pending) ? pending.slice(-1) : '';
      return storable(held === '' ? pending : pending.slice(0, -1));
    },
    end() {
      const rest = storable(held);
      held = '';
      return rest;
    },
  };
}

function endsWithHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
