/** Asks before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { CommandFailure } from './failure.js';

/** Throws unless the person agrees; without a terminal to ask on, only `--yes` is agreement. */
export async function confirm(question: string, { yes }: { yes: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandFailure('This cannot be undone. Say --yes to do it without being asked.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Left as it was.');
  } finally {
    terminal.close();
  }
}
