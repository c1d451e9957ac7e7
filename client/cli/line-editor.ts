/** Reads lines typed in a terminal: a single one, or several with a history. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { escapeReply } from './text.js';

export interface LineEditor {
  /** Null after Ctrl-C on an empty line; undefined at the end of the input, such as Ctrl-D. */
  readLine: () => Promise<string | null | undefined>;
  /** Like readLine, with another prompt. What was typed before it is no answer, and is kept for the next prompt. */
  ask: (question: string) => Promise<string | null | undefined>;
  /** Runs work that prints. Text typed meanwhile appears at the next prompt, and Ctrl-C aborts the signal. */
  runInterruptibly: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
  close: () => void;
}

interface Streams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/** Bracketed paste mode: the terminal marks pasted text, so that its line breaks can be told from Enter. */
const bracketedPaste = { on: '\u001b[?2004h', off: '\u001b[?2004l' };

/** The history is kept in memory only. The prompt is printed without escaping. */
export function openLineEditor({ input, output }: Streams, prompt: string): LineEditor {
  const echo = createEcho(output);
  const reader = createInterface({
    input,
    output: echo.stream,
    terminal: true,
    prompt,
    historySize: 1_000,
  });
  /** Lines that have not been read yet; null for Ctrl-C. */
  const typed: (string | null)[] = [];
  let pasted: string[] = [];
  let isPasting = false;
  let isClosed = false;
  let interruption: AbortController | undefined;
  let wake: () => void = () => undefined;

  const push = (line: string | null) => {
    typed.push(line);
    wake();
  };
  const clearLine = () => {
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
  };
  reader.on('line', (line) => {
    pasted.push(line);
    if (isPasting) return;
    push(pasted.join('\n'));
    pasted = [];
  });
  reader.on('SIGINT', () => {
    const isEmpty = reader.line === '' && pasted.length === 0;
    pasted = [];
    clearLine();
    if (interruption) interruption.abort();
    else if (isEmpty) push(null);
  });
  reader.on('close', () => {
    isClosed = true;
    wake();
  });
  const onKey = (_text: unknown, key?: { name?: string }) => {
    if (key?.name === 'paste-start') isPasting = true;
    if (key?.name === 'paste-end') isPasting = false;
  };
  input.on('keypress', onKey);
  const pasteMode = process.env['TERM'] === 'dumb' ? { on: '', off: '' } : bracketedPaste;
  output.write(pasteMode.on);
  const restore = () => output.write(pasteMode.off);
  process.once('exit', restore);

  const typeLine = async () => {
    if (isClosed) return;
    echo.isOn = true;
    reader.prompt(true);
    await new Promise<void>((resolve) => (wake = resolve));
    echo.isOn = false;
    // Unlike Enter, Ctrl-C and Ctrl-D do not end the line.
    if (typeof typed[0] !== 'string') output.write('\n');
  };

  return {
    readLine: async () => {
      const [waiting] = typed;
      if (typeof waiting === 'string') output.write(`${prompt}${escapeReply(waiting)}\n`);
      else if (waiting === undefined) await typeLine();
      return typed.shift();
    },
    ask: async (question) => {
      const earlier = { typed: typed.splice(0), pasted, line: reader.line };
      pasted = [];
      clearLine();
      reader.setPrompt(question);
      try {
        await typeLine();
        return typed.shift();
      } finally {
        reader.setPrompt(prompt);
        typed.unshift(...earlier.typed);
        if (!isClosed) {
          pasted.unshift(...earlier.pasted);
          reader.write(earlier.line);
        }
      }
    },
    runInterruptibly: async (work) => {
      interruption = new AbortController();
      try {
        return await work(interruption.signal);
      } finally {
        interruption = undefined;
      }
    },
    close: () => {
      input.off('keypress', onKey);
      reader.close();
      echo.close();
      process.off('exit', restore);
      restore();
    },
  };
}

/** Undefined if the input ends without a line. */
export async function readLine(
  { input, output }: Streams,
  question: string,
  isHidden: boolean,
): Promise<string | undefined> {
  const echo = createEcho(output);
  const reader = createInterface({ input, output: echo.stream, terminal: true });
  // From now on readline echoes the input instead of the terminal.
  if (isHidden) output.write(question);
  echo.isOn = !isHidden;
  reader.once('SIGINT', () => {
    // While readline reads, Ctrl-C does not raise a signal.
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return await new Promise((resolve) => {
      reader.once('close', () => {
        resolve(undefined);
      });
      reader.question(isHidden ? '' : question, resolve);
    });
  } finally {
    reader.close();
    echo.close();
    if (isHidden) output.write('\n');
  }
}

interface Echo {
  stream: Writable;
  /** Whether the input is shown. */
  isOn: boolean;
  close: () => void;
}

/** The output stream of readline: writes to the terminal, or discards everything while it is off. */
function createEcho(output: NodeJS.WriteStream): Echo {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (echo.isOn)
        output.write(chunk, () => {
          done();
        });
      else done();
    },
  });
  Object.defineProperty(stream, 'columns', { get: () => output.columns });
  const onResize = () => stream.emit('resize');
  output.on('resize', onResize);
  const echo: Echo = {
    stream,
    isOn: false,
    close: () => {
      output.off('resize', onResize);
    },
  };
  return echo;
}
