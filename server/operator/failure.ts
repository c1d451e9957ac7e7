/** How commands end that do not succeed. */
import { exitCodes } from '../../client/cli/exit-code-values.js';

/** A failed command; the message tells the operator why and what to do, and the details follow it line by line. */
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

/** A command that ends with an exit code of its own, with or without something that went wrong. */
export class CommandEnd extends Error {
  override readonly name = 'CommandEnd';
  readonly exitCode: number;

  constructor(exitCode: number, cause?: unknown) {
    super('The command has ended.', { cause });
    this.exitCode = exitCode;
  }
}
