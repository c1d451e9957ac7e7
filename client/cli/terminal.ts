/** The terminal, or what stands in its place: where a command writes, whether somebody looks, in which colours. */
import { styleText } from 'node:util';
import { printable } from './text.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta';

export interface Terminal {
  /** The result goes here, and nothing else. */
  write: (text: string) => void;
  /** Resolves as soon as all that was written is out of our hands; rejects if nobody takes it. */
  flushed: () => Promise<void>;
  /** Remarks for a person go here. */
  note: (text: string) => void;
  /** A line of remarks that the next one takes the place of; an empty one leaves no trace. */
  progress: (line: string) => void;
  paint: (style: Style, text: string) => string;
  paintNote: (style: Style, text: string) => string;
  /** What others said, fit to be written: to a terminal without what it would obey, elsewhere as it is. */
  quote: (text: string) => string;
  /** Its width; undefined if the result does not go to a terminal. */
  columns: number | undefined;
  /** The width for remarks; undefined if nobody reads them as they come. */
  noteColumns: number | undefined;
  /** Whether a person can be asked. */
  canAsk: boolean;
}

/** Back to the beginning of the line, which is emptied. */
const lineAnew = '\r\u001b[K';

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  let hasProgress = false;
  const progress = (line: string) => {
    if (line !== '' || hasProgress) stderr.write(`${lineAnew}${line}`);
    hasProgress = line !== '';
  };
  return {
    write: (text) => {
      progress('');
      stdout.write(text);
    },
    flushed: () =>
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
    quote: stdout.isTTY ? printable : (text) => text,
    columns: columnsOf(stdout),
    noteColumns: columnsOf(stderr),
    canAsk: stdin.isTTY && stderr.isTTY,
  };
}

/** 80 where a terminal does not tell. */
function columnsOf({ isTTY, columns }: { isTTY: boolean; columns: number }): number | undefined {
  return isTTY ? columns || 80 : undefined;
}

/** Any NO_COLOR turns colours off, as no-color.org asks; otherwise FORCE_COLOR turns them on, and its 0 off. */
function painter({ isTTY }: { isTTY: boolean }): Terminal['paint'] {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isForced = FORCE_COLOR ? FORCE_COLOR !== '0' && FORCE_COLOR !== 'false' : undefined;
  const isOn = !NO_COLOR && (isForced ?? (isTTY && TERM !== 'dumb'));
  return (style, text) => (isOn ? styleText(style, text, { validateStream: false }) : text);
}
