/**
 * The standard streams of the process. Only this module writes to them: lines may contain text from an untrusted service,
 * so every line is escaped here, and only styles become escape sequences.
 */
import { type LineEditor, openLineEditor, readLine } from './line-editor.js';
import { type Line, lineFormatter, type Span, type Style } from './styled-line.js';
import { escapeReply, escapeUnprintable } from './text.js';

export type { Line, Span, Style };

export interface Terminal {
  /** Writes lines to standard output, which holds only the result. */
  print: (...lines: Line[]) => void;
  /**
   * Writes a piece of a reply, with its line breaks, to standard output. It is escaped even if that is no terminal: the other end
   * of a pipe may be one, as with ssh.
   */
  printReply: (text: string, options: { isRaw: boolean }) => void;
  /** Resolves when all output has been written; rejects if the reader has closed the pipe. */
  flush: () => Promise<void>;
  /** The listener is called when standard output cannot be written. Errors of standard error are ignored. */
  onError: (listener: (error: NodeJS.ErrnoException) => void) => void;
  /** Writes lines to standard error, which holds notes, prompts and errors. */
  note: (...lines: Line[]) => void;
  /** Replaces the current progress line on standard error; an empty one erases it. */
  progress: (line: Line) => void;
  /** Reads a typed line. Undefined if the input ends without one. */
  readLine: (question: string, options?: { isHidden: boolean }) => Promise<string | undefined>;
  /** Reads several lines, with a history. */
  openLineEditor: (prompt: Line) => LineEditor;
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
  // Standard input is opened by its first use, and most commands do not use it.
  const { stdout, stderr } = process;
  const [formatOutput, formatNote] = [lineFormatter(stdout), lineFormatter(stderr)];
  let hasProgress = false;
  const progress = (line: Line) => {
    if (line.length > 0 || hasProgress) stderr.write(`${eraseLine}${formatNote(line)}`);
    hasProgress = line.length > 0;
  };
  return {
    print: (...lines) => {
      progress('');
      stdout.write(lines.map((line) => `${formatOutput(line)}\n`).join(''));
    },
    printReply: (text, { isRaw }) => {
      progress('');
      stdout.write(isRaw ? text : escapeReply(text));
    },
    flush: () =>
      new Promise((resolve, reject) => {
        stdout.write('', (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    onError: (listener) => {
      stdout.on('error', listener);
      stderr.on('error', () => undefined);
    },
    note: (...lines) => {
      progress('');
      stderr.write(lines.map((line) => `${formatNote(line)}\n`).join(''));
    },
    progress,
    readLine: (question, { isHidden } = { isHidden: false }) =>
      readLine({ input: process.stdin, output: stderr }, escapeUnprintable(question), isHidden),
    openLineEditor: (prompt) =>
      openLineEditor({ input: process.stdin, output: stderr }, formatNote(prompt)),
    columns: columnsOf(stdout),
    noteColumns: columnsOf(stderr),
    get isInteractive() {
      return process.stdin.isTTY && stderr.isTTY;
    },
  };
}

/** 80 if a terminal does not report its width. */
function columnsOf({ isTTY, columns }: { isTTY: boolean; columns: number }): number | undefined {
  return isTTY ? columns || 80 : undefined;
}
