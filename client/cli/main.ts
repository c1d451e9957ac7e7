/** `agent-hosting`: the command line as a process. */
import { CommanderError } from 'commander';
import { createRunner } from './context.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { type Circumstances, describeFailure } from './failures.js';
import { createProgram } from './program.js';
import { processTerminal } from './terminal.js';
import { packageVersion } from './version.js';

async function main(args: string[]): Promise<number> {
  const terminal = processTerminal();
  const ending = new AbortController();
  const circumstances: Circumstances = { isJson: false, service: undefined };
  let isAwaited = false;
  let endsWith: number = exitCodes.done;

  /** A command that asked for it is told, and ends by itself; another one is ended here. */
  const end = (code: number) => {
    endsWith = code;
    if (isAwaited) ending.abort();
    else process.exit(code);
  };
  const signals = {
    SIGINT: exitCodes.interrupted,
    SIGTERM: exitCodes.terminated,
    SIGHUP: exitCodes.hungUp,
  };
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      // The terminal shows ^C, and what comes next should not stand beside it.
      if (signal === 'SIGINT' && terminal.noteColumns !== undefined) terminal.note('\n');
      // Whoever asks twice does not want to wait for the tidying up.
      if (ending.signal.aborted) process.exit(code);
      end(code);
    });
  }
  process.on('exit', () => {
    terminal.progress('');
  });
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads our output may stop before its end, as head does.
    if (error.code === 'EPIPE') end(exitCodes.done);
    else {
      terminal.note(describeFailure(error, circumstances, terminal));
      end(exitCodes.failed);
    }
  });
  process.stderr.on('error', () => undefined);

  const interruptible = () => {
    isAwaited = true;
    return ending.signal;
  };
  const run = createRunner(terminal, interruptible, circumstances);
  try {
    await createProgram(run, terminal, packageVersion).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const isEnded = ending.signal.aborted && error === ending.signal.reason;
    if (!isEnded) {
      terminal.note(describeFailure(error, circumstances, terminal));
      return ending.signal.aborted ? endsWith : exitCodeOf(error);
    }
  }
  return endsWith;
}

process.exitCode = await main(process.argv.slice(2));
