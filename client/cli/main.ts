/** `agent-hosting`: the command line as a process. */
import { CommanderError } from 'commander';
import { ApiError, ConnectionError } from '../src/index.js';
import { createRunner } from './context.js';
import { CommandFailure, exitCodeOf, exitCodes } from './exit-codes.js';
import { createProgram } from './program.js';
import { processTerminal, type Terminal } from './terminal.js';
import { packageVersion } from './version.js';

async function main(args: string[]): Promise<number> {
  const terminal = processTerminal();
  const interruption = new AbortController();
  let isAwaited = false;
  const interrupt = () => {
    if (!isAwaited || interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // Whoever reads our output may stop before its end, as head does.
  process.stdout.on('error', () => process.exit(exitCodes.done));

  const run = createRunner(terminal, () => {
    isAwaited = true;
    return interruption.signal;
  });
  try {
    await createProgram(run, terminal, packageVersion).parseAsync(args, { from: 'user' });
    return interruption.signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    if (interruption.signal.aborted) return exitCodes.interrupted;
    complain(terminal, error, args.includes('--json'));
    return exitCodeOf(error);
  }
}

/** In the words of the service; programs get them as JSON, on the same stream. */
function complain(terminal: Terminal, error: unknown, isJson: boolean): void {
  if (isJson) {
    const { status, code, details, retryAfter, requestId } =
      error instanceof ApiError ? error : ({} as Partial<ApiError>);
    const message = error instanceof Error ? error.message : String(error);
    const fields = { message, status, code, details, retryAfter, requestId };
    terminal.note(`${JSON.stringify({ error: fields }, null, 2)}\n`);
    return;
  }
  const red = (text: string) => terminal.paintNote('red', text);
  if (error instanceof ApiError) {
    const details = error.details.map(({ field, error: problem }) => `  ${field}: ${problem}`);
    const request = error.requestId === null ? [] : [`Request ${error.requestId}`];
    const dim = request.map((text) => terminal.paintNote('dim', text));
    terminal.note(`${[red(error.message), ...details, ...dim].join('\n')}\n`);
  } else if (error instanceof ConnectionError || error instanceof CommandFailure) {
    const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : '';
    terminal.note(`${red(error.message)}${cause}\n`);
  } else {
    terminal.note(
      `${red(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
    );
  }
}

/** Node hides the useful part one level deeper. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

process.exitCode = await main(process.argv.slice(2));
