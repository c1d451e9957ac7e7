/** Expected failures: only their message is printed, without a stack trace. */

export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** Runs a command-line program, and turns a Failure into its message and exit code. */
export async function runProgram(program: () => Promise<unknown>): Promise<void> {
  try {
    await program();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}
