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
    throw new CommandFailure(
      'This cannot be undone. Say --yes to do it without being asked.',
      exitCodes.usage,
    );
  }
  const answer = await ask(`${question} [y/N] `, process.stderr);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Left as it was.');
}

/** What was typed unseen, or, where nobody types, what was piped in. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  if (!terminal.canAsk) return (await text(process.stdin)).trim();
  terminal.note(question);
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const answer = await ask('', nowhere);
  terminal.note('\n');
  return answer.trim();
}

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  const interrupted = new Promise<never>((_, reject) => {
    reader.once('SIGINT', () => {
      reject(new CommandFailure('Interrupted.', exitCodes.interrupted));
    });
    reader.once('close', () => {
      reject(new CommandFailure('No answer.', exitCodes.interrupted));
    });
  });
  try {
    return await Promise.race([reader.question(question), interrupted]);
  } finally {
    interrupted.catch(() => undefined);
    reader.close();
  }
}
