/** Escapes for characters that a terminal or a page would interpret or hide. */
import { printableText } from './generated/service.js';

/** Writes characters that are not printable as `\u001b`. The escapes of JSON are the same, so JSON keeps its value. */
export function escapeUnprintable(text: string): string {
  if (printableText.test(text)) return text;
  return text.replace(/[^ -~]/g, (character) =>
    printableText.test(character)
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escapes prose, which has line breaks and tabs; without its joiners, emoji and several scripts would fall apart. */
export function escapeReply(text: string): string {
  return text.replace(/[^\t\n\u200c\u200d]+/g, escapeUnprintable);
}
