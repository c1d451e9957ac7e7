/** A spinner on standard error, if that is a terminal. */
import type { Terminal } from './terminal.js';
import { escapeUnprintable, truncate } from './text.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 120;

/** The first frame is delayed, so that quick work does not flicker. Returns a function that stops it. */
export function startSpinner(terminal: Terminal, text: string): () => void {
  const { noteColumns, progress } = terminal;
  if (noteColumns === undefined) return () => undefined;
  // A wrapped line could not be erased.
  const label = truncate(escapeUnprintable(text), noteColumns - 3);
  let frame = 0;
  const timer = setInterval(() => {
    const symbol = frames[frame % frames.length] ?? '';
    progress([{ style: 'cyan', text: symbol }, ' ', { style: 'dim', text: label }]);
    frame += 1;
  }, frameMs);
  return () => {
    clearInterval(timer);
    progress('');
  };
}

export async function withSpinner<Result>(
  terminal: Terminal,
  text: string,
  work: Promise<Result>,
): Promise<Result> {
  const stop = startSpinner(terminal, text);
  try {
    return await work;
  } finally {
    stop();
  }
}
