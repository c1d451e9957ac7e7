/** Runs one command line of the operator and returns the exit code. */
import { type Command, CommanderError } from 'commander';
import { messageOf } from '../lib/error-code.js';
import { describeFailure } from './program.js';

export interface Streams {
  out: (text: string) => void;
  err: (text: string) => void;
}

const exitCodes = { success: 0, failure: 1, wrongUsage: 2 };

/** `args` are the arguments after the name of the program. */
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
    return exitCodes.success;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.wrongUsage;
    }
    err(`${describeFailure(error) ?? messageOf(error)}\n`);
    return exitCodes.failure;
  }
}
