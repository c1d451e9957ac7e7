/** The exit codes of the command line, and the error of a command that names one. */
import {
  ConflictError,
  ConnectionError,
  ForbiddenError,
  IdempotencyMismatchError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
} from '../src/index.js';
import { exitCodes } from './exit-code-values.js';

export { exitCodes };

export const exitCodeHelp = `Exit codes:
  0    success
  1    failure: a fault of the service, or any error without a code of its own
  2    wrong usage, or a request that the service found invalid
  3    access denied: the key is missing, unknown, or lacks the permission
  4    not found, or not visible to the key
  5    conflict with the current state, such as a version that already exists
  6    try again later: no connection, too many requests, or the service is busy
  130  interrupted by Ctrl-C (129 and 143: by a closed terminal, by SIGTERM)`;

/** An error that a command detects itself, with hints on what to do next. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly hints: string[];

  constructor(message: string, exitCode: number = exitCodes.failure, hints: string[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.hints = hints;
  }
}

/** An error of a call, with hints that only the command that made it can give. */
export class HintedError extends Error {
  readonly hints: string[];

  constructor(cause: Error, hints: string[]) {
    super(cause.message, { cause });
    this.hints = hints;
  }
}

/** Ends a command with the exit code of an error that was printed already. */
export class ReportedError extends Error {}

const byClass = [
  { types: [InvalidRequestError], code: exitCodes.usage },
  { types: [UnauthorizedError, ForbiddenError], code: exitCodes.denied },
  { types: [NotFoundError], code: exitCodes.notFound },
  { types: [ConflictError, IdempotencyMismatchError], code: exitCodes.conflict },
  { types: [RateLimitedError, UnavailableError, ConnectionError], code: exitCodes.unavailable },
];

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof HintedError || error instanceof ReportedError) {
    return exitCodeOf(error.cause);
  }
  const found = byClass.find(({ types }) => types.some((type) => error instanceof type));
  return found?.code ?? exitCodes.failure;
}
