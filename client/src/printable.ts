/** Escapes characters that a terminal or a page would interpret or hide. */
import { printableText } from './generated/service.js';

/** Writes unprintable characters as `\u001b`. JSON has the same escapes, so escaped JSON keeps its value. */
export function escapeUnprintable(text: string): string {
  if (printableText.test(text)) return text;
  return text.replace(/[^ -~]/g, (character) =>
    printableText.test(character)
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Keeps line breaks and tabs, and the zero-width joiners that emoji and several scripts need. */
export function escapeReply(text: string): string {
  // A carriage return alone would let a reply overwrite its line.
  return text.replace(/(?:[^\t\n\r\u200c\u200d]|\r(?!\n))+/g, escapeUnprintable);
}
