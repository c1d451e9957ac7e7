/** Prompts: a confirmation, a question, or a secret that is not echoed. */
import { text } from 'node:stream/consumers';
import { CommandError, exitCodes } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Throws unless the user confirms. Without an interactive terminal only `--yes` confirms. */
export async function confirm(terminal: Terminal, question: string, yes?: boolean): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive) {
    throw new CommandError(
      'This cannot be undone, and there is no terminal to ask for confirmation.',
      exitCodes.usage,
      ['Pass --yes to skip the confirmation.'],
    );
  }
  const answer = answered(await terminal.readLine(`${question} [y/N] `));
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
}

/** Asks until an answer is valid. `parse` throws a CommandError for an invalid one, which is printed. */
export async function ask<Result>(
  terminal: Terminal,
  question: string,
  parse: (answer: string) => Result,
  options = { isHidden: false },
): Promise<Result> {
  for (;;) {
    const answer = answered(await terminal.readLine(question, options)).trim();
    try {
      return parse(answer);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      terminal.note([{ style: 'red', text: error.message }], ...error.hints);
    }
  }
}

/** Prompts for a secret, or reads it from standard input if that is not a terminal. */
export async function readSecret(
  terminal: Terminal,
  question: string,
  parse: (secret: string) => string,
): Promise<string> {
  if (!process.stdin.isTTY) return parse((await text(process.stdin)).trim());
  if (!terminal.isInteractive) {
    throw new CommandError('The prompt would not be visible.', exitCodes.usage, [
      'Pipe the key in, or do not redirect standard error.',
    ]);
  }
  return ask(terminal, question, parse, { isHidden: true });
}

function answered(answer: string | undefined): string {
  if (answer !== undefined) return answer;
  throw new CommandError('The input ended without an answer. Nothing was changed.');
}
