/** Runs the operator's command line on the installation that the environment describes. */
import { terminal } from '../lib/system/terminal.js';
import { createProgram } from './program.js';
import { runCommandLine } from './run-command-line.js';

/** Returns the exit code. */
export function runOperator(args: string[]): Promise<number> {
  const program = createProgram(
    async (options, command) => {
      const { withContext } = await import('./installation.js');
      await withContext(options, command);
    },
    async (options, command) => {
      const { withInstallation } = await import('./installation.js');
      await withInstallation(options, command);
    },
  );
  return runCommandLine(program, args, terminal);
}
