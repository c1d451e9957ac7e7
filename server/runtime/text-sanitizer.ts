/** Makes a model's text storable: PostgreSQL accepts neither NUL characters nor lone surrogates. */

interface TextSanitizer {
  /** Returns the text that is complete so far, without a trailing high surrogate, which waits for its other half. */
  push: (text: string) => string;
  /** Returns the rest of the text. */
  end: () => string;
}

const replacement = '\uFFFD';

export function createTextSanitizer(): TextSanitizer {
  let held = '';
  return {
    push(text) {
      const pending = held + text;
      held = endsWithHighSurrogate(pending) ? pending.slice(-1) : '';
      return sanitize(held === '' ? pending : pending.slice(0, -1));
    },
    end() {
      const rest = sanitize(held);
      held = '';
      return rest;
    },
  };
}

function endsWithHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

function sanitize(text: string): string {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', replacement) : text;
  return withoutNul.toWellFormed();
}
