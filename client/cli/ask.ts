/** Asks a person: for agreement, or for a secret that is not shown while it is typed. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure, exitCodes } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Throws unless the person agrees. Where nobody can be asked, only `--yes` is agreement. */
export async function confirm(terminal: Terminal, question: string, yes?: boolean): Promise<void> {
  if (yes) return;
  if (!terminal.canAsk) {
    throw new CommandFailure('This cannot be undone, and nobody can be asked.', exitCodes.usage, [
      'Say --yes to do it without being asked.',
    ]);
  }
  const answer = await ask(`${question} [y/N] `, process.stderr);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Left as it was.');
}

/** What was typed unseen, or, where nobody types, what was piped in. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  if (!terminal.canAsk) {
    throw new CommandFailure('The question would not be seen.', exitCodes.usage, [
      'Pipe the key in, or leave standard error to the terminal.',
    ]);
  }
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  try {
    return (
      await ask('', nowhere, () => {
        terminal.note(question);
      })
    ).trim();
  } finally {
    terminal.note('\n');
  }
}

/** By the time that it is ready, nothing shows what is typed but the output. */
async function ask(
  question: string,
  output: NodeJS.WritableStream,
  ready: () => void = () => undefined,
): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  ready();
  const unanswered = new Promise<never>((_, reject) => {
    reader.once('SIGINT', () => {
      // Ends us as Ctrl-C does anywhere else; while a line is read, the terminal leaves it to us.
      process.kill(process.pid, 'SIGINT');
    });
    reader.once('close', () => {
      reject(new CommandFailure('There was no answer. Left as it was.'));
    });
  });
  try {
    return await Promise.race([reader.question(question), unanswered]);
  } finally {
    unanswered.catch(() => undefined);
    reader.close();
  }
}
