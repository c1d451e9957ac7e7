/** Printable text has no control, bidirectional or zero-width characters. Other text is escaped before it is shown. */
const printableText =
  // oxlint-disable-next-line no-control-regex
  /^[^\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]*$/u;

export function isPrintable(text: string): boolean {
  return printableText.test(text);
}

/** Writes unprintable characters as in `\u001b`. JSON has the same escapes, so JSON keeps its value. */
export function escapeUnprintable(text: string): string {
  if (isPrintable(text)) return text;
  return text.replace(/[^ -~]/g, (character) =>
    isPrintable(character)
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
