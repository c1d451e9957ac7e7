/** Asks for confirmation before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { CommandFailure } from './failure.js';

/** Throws unless the user confirms. Without a terminal, only `--yes` confirms. */
export async function confirm(question: string, { yes }: { yes: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandFailure('This cannot be undone. Pass --yes to skip the confirmation.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new CommandFailure('Cancelled; nothing was changed.');
  } finally {
    terminal.close();
  }
}
