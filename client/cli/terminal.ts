/** The standard streams of the process: what is written where, in which colours, and whether they are a terminal. */
import { styleText } from 'node:util';
import { sanitize } from './text.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Terminal {
  /** Writes to standard output, which holds only the result. */
  write: (text: string) => void;
  /** Resolves when all output has been passed on; rejects if its reader is gone. */
  flush: () => Promise<void>;
  /** Writes to standard error, which holds remarks, prompts and errors. */
  note: (text: string) => void;
  /** Replaces the current progress line on standard error; an empty text erases it. */
  progress: (line: string) => void;
  paint: (style: Style, text: string) => string;
  paintNote: (style: Style, text: string) => string;
  /** Text from elsewhere, without control characters if standard output is a terminal. */
  sanitize: (text: string) => string;
  /** The width of standard output; undefined if it is not a terminal. */
  columns: number | undefined;
  /** The width of standard error; undefined if it is not a terminal. */
  noteColumns: number | undefined;
  /** Whether the user can be prompted. */
  isInteractive: boolean;
}

/** Returns to the beginning of the line and erases it. */
const eraseLine = '\r\u001b[K';

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  let hasProgress = false;
  const progress = (line: string) => {
    if (line !== '' || hasProgress) stderr.write(`${eraseLine}${line}`);
    hasProgress = line !== '';
  };
  return {
    write: (text) => {
      progress('');
      stdout.write(text);
    },
    flush: () =>
      new Promise((resolve, reject) => {
        stdout.write('', (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    note: (text) => {
      progress('');
      stderr.write(text);
    },
    progress,
    paint: painter(stdout),
    paintNote: painter(stderr),
    sanitize: stdout.isTTY ? sanitize : (text) => text,
    columns: columnsOf(stdout),
    noteColumns: columnsOf(stderr),
    isInteractive: stdin.isTTY && stderr.isTTY,
  };
}

/** 80 if a terminal does not report its width. */
function columnsOf({ isTTY, columns }: { isTTY: boolean; columns: number }): number | undefined {
  return isTTY ? columns || 80 : undefined;
}

/** NO_COLOR turns colours off, as no-color.org specifies; otherwise FORCE_COLOR turns them on, or off if it is 0. */
function painter({ isTTY }: { isTTY: boolean }): Terminal['paint'] {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isForced = FORCE_COLOR ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false' : undefined;
  const isOn = !NO_COLOR && (isForced ?? (isTTY && TERM !== 'dumb'));
  return (style, text) => (isOn ? styleText(style, text, { validateStream: false }) : text);
}
