/** Runs one command line of the operator and returns the exit code. */
import { type Command, CommanderError } from 'commander';
import { linesOf, type Terminal } from '../lib/system/terminal.js';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { exitCodeOf } from './exit-codes.js';
import { CommandEnd } from './failure.js';
import { describeFailure } from './program.js';

/** `args` are the arguments after the name of the program. */
export async function runCommandLine(
  program: Command,
  args: string[],
  { print, printError }: Terminal,
): Promise<number> {
  // Those of a group get it from the group.
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        print(...linesOf(text));
      },
      writeErr: (text) => {
        printError(...linesOf(text));
      },
    });
  }
  try {
    await program.parseAsync(withHelpOption(program, args), { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    }
    const [failure, code] =
      error instanceof CommandEnd ? [error.cause, error.exitCode] : [error, exitCodeOf(error)];
    if (failure !== undefined) printError(...describeFailure(failure));
    return code;
  }
}

/** `keys --help` for `help keys`, for which commander would not load the group. */
function withHelpOption({ commands }: Command, args: string[]): string[] {
  const [first, name] = args;
  const isKnown = commands.some((command) => command.name() === name);
  return first === 'help' && name !== undefined && isKnown ? [name, '--help'] : args;
}
