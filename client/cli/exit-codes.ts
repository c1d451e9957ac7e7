/** How the command line tells scripts what came of a command. */
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

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  tryLater: 6,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export const exitCodeHelp = `Exit codes:
  0    done
  1    failed: a fault of the service, or anything that no other code is for
  2    wrong usage, or a request that the service found invalid
  3    not allowed: the key is missing, unknown, or lacks the permission
  4    there is no such thing, or the key may not see it
  5    it does not fit the present state, such as a version that is taken
  6    try again later: no connection, too many requests, or the service is busy
  130  interrupted by Ctrl-C (129 and 143: by the end of the terminal, by SIGTERM)`;

/** A failure that the command itself found, in words for a person, with what to do next. */
export class CommandFailure extends Error {
  readonly exitCode: number;
  readonly hints: string[];

  constructor(message: string, exitCode: number = exitCodes.failed, hints: string[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.hints = hints;
  }
}

const byClass = [
  { types: [InvalidRequestError], code: exitCodes.usage },
  { types: [UnauthorizedError, ForbiddenError], code: exitCodes.notAllowed },
  { types: [NotFoundError], code: exitCodes.notFound },
  { types: [ConflictError, IdempotencyMismatchError], code: exitCodes.conflict },
  { types: [RateLimitedError, UnavailableError, ConnectionError], code: exitCodes.tryLater },
];

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  const found = byClass.find(({ types }) => types.some((type) => error instanceof type));
  return found?.code ?? exitCodes.failed;
}
