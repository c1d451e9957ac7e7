/** Text that can be shown as it is, as the contract's PrintableText defines it, and escapes for any other. */
import { constraints, errorMessages } from '../../../generated/constraints.js';

const { pattern } = constraints.PrintableText;
const printableText = new RegExp(pattern, 'u');

/** What is wrong with a field whose text is not printable. */
export const unprintableProblem = errorMessages.pattern[pattern] ?? '';

export function isPrintable(text: string): boolean {
  return printableText.test(text);
}

/** Writes characters that are not printable as `\u001b`. The escapes of JSON are the same, so JSON keeps its value. */
export function escapeUnprintable(text: string): string {
  if (isPrintable(text)) return text;
  return text.replace(/[^ -~]/g, (character) =>
    isPrintable(character)
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
