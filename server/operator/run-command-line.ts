/** Runs one of the operator's command lines and returns the exit code. */
import { type Command, CommanderError } from 'commander';
import { linesOf, type Terminal } from '../lib/system/terminal.js';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { exitCodeOf } from './exit-codes.js';
import { CommandExit } from './failure.js';
import { describeFailure } from './program.js';

/** `args` excludes the program name. */
export async function runCommandLine(
  program: Command,
  args: string[],
  { print, printError }: Terminal,
): Promise<number> {
  const printFailure = (...lines: string[]) => {
    printError(...lines.map(withoutApiKeys));
  };
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        print(...linesOf(text));
      },
      writeErr: (text) => {
        printFailure(...linesOf(text));
      },
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    }
    const [failure, code] =
      error instanceof CommandExit ? [error.cause, error.exitCode] : [error, exitCodeOf(error)];
    if (failure !== undefined) printFailure(...describeFailure(failure));
    return code;
  }
}

/** An API key that stands in the wrong place is part of what the parser says about it. Failures are often copied into tickets. */
function withoutApiKeys(line: string): string {
  return line.replaceAll(/ahs_[0-9A-Za-z]+/g, 'ahs_…');
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
