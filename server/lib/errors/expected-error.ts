/** An error of normal operation, such as a rejected request. It is not a bug, so it has no stack by default. */
export class ExpectedError extends Error {
  constructor(message: string, { cause, hasStack = false }: ExpectedErrorOptions = {}) {
    const { stackTraceLimit } = Error;
    if (!hasStack) Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface ExpectedErrorOptions {
  cause?: unknown;
  /** Default false: collecting the stack takes a tenth of the time of a rejected request. */
  hasStack?: boolean;
}
