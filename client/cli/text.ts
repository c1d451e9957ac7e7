/** Text in a terminal: width, truncation, and escapes for characters that a terminal would interpret or hide. */
export { escapeReply, escapeUnprintable } from '../src/printable.js';

const wide =
  /^(\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const printableAscii = /^[ -~]*$/;

/** Created on first use: it takes as long to load as the rest of the program. */
let segmenter: Intl.Segmenter | undefined;

/** Collapses white space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** In terminal columns. */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  if (zeroWidth.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Adds an ellipsis if something was cut off. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let columnsLeft = width - 1;
  for (const grapheme of graphemes(text)) {
    columnsLeft -= graphemeWidth(grapheme);
    if (columnsLeft < 0) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
