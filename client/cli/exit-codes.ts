/** The exit codes of the command line, and the errors that determine them. */
import {
  ApiError,
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
  1    failure: an error in the service, one that must not be retried, or any
       error without a code of its own
  2    wrong usage, or a request that the service rejected as invalid
  3    access denied: the key is missing, unknown, or lacks the permission
  4    not found, or not visible to the key
  5    conflict with the current state, such as a version that already exists
  6    try again later: no connection, too many requests, or the service is busy
  7    the agent waits: somebody must approve or reject its tool calls
  130  interrupted by Ctrl-C (129: the terminal was closed, 143: SIGTERM)`;

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

/** Adds hints of a command to the error of a call. */
export class HintedError extends Error {
  readonly hints: string[];

  constructor(cause: Error, hints: string[]) {
    super(cause.message, { cause });
    this.hints = hints;
  }
}

/** Ends a command with the exit code of an error that has already been printed. */
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
  // A script may repeat the command after the code for a temporary failure.
  const isFinal = error instanceof ApiError && error.retryable === false;
  if (isFinal && found?.code === exitCodes.unavailable) return exitCodes.failure;
  return found?.code ?? exitCodes.failure;
}
