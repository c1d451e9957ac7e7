/** Text as a terminal shows it: how wide it is, what of it is safe to print, and how it is cut to fit. */

/** Control characters but tab and line feed: in what an agent or a log says they could move the cursor, or worse. */
const control = /[^\P{Cc}\t\n]/gu;

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^(\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u;

/** Without what a terminal would obey instead of showing. */
export function printable(text: string): string {
  return text.replace(control, '\ufffd');
}

/** On one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** In columns of the terminal. */
export function widthOf(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** At most that wide, with a mark where something was cut off. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = '';
  for (const character of text) {
    if (widthOf(taken) + characterWidth(character) > width - 1) break;
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
