/** Shows that something is under way, on a terminal only, and leaves no trace. */
import type { Terminal } from './terminal.js';
import { fit } from './text.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Not shown for what is over at once. Returns how to end it. */
export function spin(terminal: Terminal, text: string): () => void {
  const { noteColumns, progress, paintNote } = terminal;
  if (noteColumns === undefined) return () => undefined;
  // A line that wraps could not be taken back.
  const shown = fit(text, noteColumns - 3);
  let frame = 0;
  const timer = setInterval(() => {
    const sign = frames[frame % frames.length] ?? '';
    progress(`${paintNote('cyan', sign)} ${paintNote('dim', shown)}`);
    frame += 1;
  }, 120);
  return () => {
    clearInterval(timer);
    progress('');
  };
}

export async function whileSpinning<Result>(
  terminal: Terminal,
  text: string,
  work: Promise<Result>,
): Promise<Result> {
  const stop = spin(terminal, text);
  try {
    return await work;
  } finally {
    stop();
  }
}
