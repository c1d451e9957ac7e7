/** The terminal, or what stands in its place: where a command writes, whether somebody looks, in which colours. */
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta';

export interface Terminal {
  /** The result goes here, and nothing else. */
  write: (text: string) => void;
  /** Remarks for a person go here. */
  note: (text: string) => void;
  paint: (style: Style, text: string) => string;
  paintNote: (style: Style, text: string) => string;
  /** Its width; undefined if the result does not go to a terminal. */
  columns: number | undefined;
  /** Whether a person reads the remarks. */
  isWatched: boolean;
  /** Whether a person can be asked. */
  canAsk: boolean;
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    write: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    paint: painter(stdout),
    paintNote: painter(stderr),
    columns: stdout.isTTY ? stdout.columns || 80 : undefined,
    isWatched: stderr.isTTY,
    canAsk: stdin.isTTY && stderr.isTTY,
  };
}

/** NO_COLOR turns colours off whatever its value, as no-color.org asks; FORCE_COLOR turns them on. */
function painter({ isTTY }: { isTTY: boolean }): Terminal['paint'] {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isOn = !NO_COLOR && (!!FORCE_COLOR || (isTTY && TERM !== 'dumb'));
  return (style, text) => (isOn ? styleText(style, text, { validateStream: false }) : text);
}
