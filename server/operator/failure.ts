/** Errors that end a command with an exit code. */
import { exitCodes } from '../../client/cli/exit-code-values.js';

/** The message says why the command failed and what to do; the details are printed below it, one per line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly details: string[];
  readonly exitCode: number;

  constructor(message: string, details: string[] = [], exitCode: number = exitCodes.failure) {
    super(message);
    this.details = details;
    this.exitCode = exitCode;
  }
}

/** Ends a command with an exit code that is not derived from an error. `cause` is set if it also failed. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly exitCode: number;

  constructor(exitCode: number, cause?: unknown) {
    super('The command has ended.', { cause });
    this.exitCode = exitCode;
  }
}
