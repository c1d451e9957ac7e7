/** Shows that something is under way, on a terminal only, and leaves no trace. */
import type { Terminal } from './terminal.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Not shown for what is over at once. Returns how to end it. */
export function spin({ isWatched, note, paintNote }: Terminal, text: string): () => void {
  if (!isWatched) return () => undefined;
  let frame = 0;
  const timer = setInterval(() => {
    note(`\r${paintNote('cyan', frames[frame % frames.length] ?? '')} ${paintNote('dim', text)}`);
    frame += 1;
  }, 120);
  return () => {
    clearInterval(timer);
    if (frame > 0) note('\r\u001b[K');
    frame = 0;
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
