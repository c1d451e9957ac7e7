/** Text as a terminal shows it: how wide it is, what of it is safe to print, and how it is cut to fit. */

/**
 * Control characters but tab and line feed, and those that turn the direction of writing: in what an agent or a log says
 * they could move the cursor, or make a line read as what it is not.
 */
const obeyed = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

const wide =
  /^(\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
const widthless = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const narrow = /^[ -~]*$/;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Without what a terminal would obey instead of showing. */
export function printable(text: string): string {
  return text.replace(obeyed, '\ufffd').toWellFormed();
}

/** On one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** JSON that says the same, and that a terminal shows without obeying any of it. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** In columns of the terminal. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  return characters(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

/** What a person takes for one character: accents and the parts of an emoji belong together. */
function characters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function characterWidth(character: string): number {
  if (widthless.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** At most that wide, with a mark where something was cut off. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = '';
  let left = width - 1;
  for (const character of characters(text)) {
    left -= characterWidth(character);
    if (left < 0) break;
    taken += character;
  }
  return `${taken}…`;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
