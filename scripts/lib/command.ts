/** Creates command lines with the same behaviour: all have `--help`, and exit with 2 after a usage error. */

import { Command } from 'commander';

export const usageError = 2;

export function command(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .showHelpAfterError()
    .exitOverride((error) => {
      process.exit(error.exitCode === 0 ? 0 : usageError);
    });
}

/** The items named on the command line, in the order of the list; all of them if none is named. */
export function selectByName<T extends { name: string }>(
  all: T[],
  names: string[],
  program: Command,
): T[] {
  const known = all.map((item) => item.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    program.error(`error: unknown name '${unknown}'; known names: ${known.join(', ')}`);
  }
  return all.filter((item) => names.length === 0 || names.includes(item.name));
}
