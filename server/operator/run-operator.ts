/** Runs the operator's command line on the installation that the environment describes. */
import { terminal } from '../lib/system/terminal.js';
import { withContext, withInstallation } from './installation.js';
import { createProgram } from './program.js';
import { runCommandLine } from './run-command-line.js';

/** Returns the exit code. */
export function runOperator(args: string[]): Promise<number> {
  return runCommandLine(createProgram(withContext, withInstallation), args, terminal);
}
