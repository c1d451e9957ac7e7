/** Prompts: a confirmation, or a secret that is not echoed while it is typed. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandError, exitCodes } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Throws unless the user confirms. Without an interactive terminal only `--yes` confirms. */
export async function confirm(terminal: Terminal, question: string, yes?: boolean): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive) {
    throw new CommandError(
      'This cannot be undone, and there is no terminal for a confirmation.',
      exitCodes.usage,
      ['Pass --yes to skip the confirmation.'],
    );
  }
  const answer = await ask(`${question} [y/N] `, process.stderr);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
}

/** The secret that is typed, or piped in where standard input is not a terminal. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  if (!terminal.isInteractive) {
    throw new CommandError('The prompt would not be visible.', exitCodes.usage, [
      'Pipe the key in, or do not redirect standard error.',
    ]);
  }
  const discard = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  try {
    const answer = await ask('', discard, () => {
      terminal.note(question);
    });
    return answer.trim();
  } finally {
    terminal.note('\n');
  }
}

/** Reads a line. When `onReady` is called, the terminal itself no longer echoes what is typed; only `output` does. */
async function ask(
  question: string,
  output: NodeJS.WritableStream,
  onReady: () => void = () => undefined,
): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  onReady();
  const closed = new Promise<never>((_, reject) => {
    reader.once('SIGINT', () => {
      // While readline reads, the terminal sends no signal for Ctrl-C, so it is raised here.
      process.kill(process.pid, 'SIGINT');
    });
    reader.once('close', () => {
      reject(new CommandError('The input ended without an answer. Nothing was changed.'));
    });
  });
  try {
    return await Promise.race([reader.question(question), closed]);
  } finally {
    closed.catch(() => undefined);
    reader.close();
  }
}
