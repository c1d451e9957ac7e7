/** An error that belongs to the work, such as a refusal: whoever reads of it looks for no bug. */
interface ExpectedErrorOptions {
  cause?: unknown;
  /** To collect the stack takes a tenth of a refused request. By default there is none. */
  hasStack?: boolean;
}

export class ExpectedError extends Error {
  constructor(message: string, { cause, hasStack = false }: ExpectedErrorOptions = {}) {
    const { stackTraceLimit } = Error;
    if (!hasStack) Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
