/** Runs one command line of the operator and says with which code its process ends. */
import { type Command, CommanderError } from 'commander';
import { messageOf } from '../lib/error-code.js';
import { describeFailure } from './program.js';

export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

const failed = 1;
const wrongUsage = 2;

/** The arguments are those after the name of the program. */
export async function runCommandLine(
  program: Command,
  args: string[],
  { out, err }: Streams,
): Promise<number> {
  const commands = [program, ...program.commands, ...program.commands.flatMap((c) => c.commands)];
  for (const command of commands) {
    command.exitOverride().configureOutput({ writeOut: out, writeErr: err });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    err(`${describeFailure(error) ?? messageOf(error)}\n`);
    return failed;
  }
}
