/** Formats styled lines of output: text is escaped, and only styles become escape sequences. */
import { styleText } from 'node:util';
import { escapeUnprintable } from './text.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Span {
  style: Style | undefined;
  text: string;
}

/** One line of output: plain text, or spans with styles. Line breaks are escaped. */
export type Line = string | (string | Span)[];

/** NO_COLOR turns colours off, as no-color.org specifies; otherwise FORCE_COLOR turns them on, or off if it is 0. */
export function lineFormatter({ isTTY }: { isTTY: boolean }): (line: Line) => string {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isForced = FORCE_COLOR ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false' : undefined;
  const isOn = !NO_COLOR && (isForced ?? (isTTY && TERM !== 'dumb'));
  const formatPart = (part: string | Span): string => {
    if (typeof part === 'string') return escapeUnprintable(part);
    const text = escapeUnprintable(part.text);
    const { style } = part;
    // An unknown status, such as "constructor", may have looked up anything in a table of styles.
    const isStyled = isOn && typeof style === 'string' && text !== '';
    return isStyled ? styleText(style, text, { validateStream: false }) : text;
  };
  return (line) => (typeof line === 'string' ? [line] : line).map(formatPart).join('');
}
