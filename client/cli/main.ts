/** `agent-hosting`: the entry point of the command line. */
import { CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { nameCommand } from './commands.js';
import { type ErrorContext, formatError } from './error-messages.js';
import { exitCodeOf, exitCodes, ReportedError } from './exit-codes.js';
import { createProgram } from './program.js';
import { processTerminal } from './terminal.js';

async function main(args: string[]): Promise<number> {
  const terminal = processTerminal();
  const interruption = new AbortController();
  const errorContext: ErrorContext = { isJson: false, target: undefined };
  let commandHandlesInterrupt = false;
  let exitCode: number = exitCodes.success;

  /** A command that requested the interrupt signal ends by itself; for any other the process exits. */
  const interrupt = (code: number) => {
    exitCode = code;
    if (commandHandlesInterrupt) interruption.abort();
    else process.exit(code);
  };
  const signals = {
    SIGINT: exitCodes.interrupted,
    SIGTERM: exitCodes.terminated,
    SIGHUP: exitCodes.hangUp,
  };
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      // The terminal echoes ^C, so the next output begins on a new line.
      if (signal === 'SIGINT' && terminal.noteColumns !== undefined) terminal.note('');
      // A second signal does not wait for the command to clean up.
      if (interruption.signal.aborted) process.exit(code);
      interrupt(code);
    });
  }
  process.on('exit', () => {
    terminal.progress('');
  });
  terminal.onError((error) => {
    // The reader of the output may close the pipe early, as head does.
    if (error.code === 'EPIPE') interrupt(exitCodes.success);
    else {
      terminal.note(...formatError(error, errorContext));
      interrupt(exitCodes.failure);
    }
  });

  const interruptSignal = () => {
    commandHandlesInterrupt = true;
    return interruption.signal;
  };
  const loadDefinitions = async () => {
    const { createDefinitions } = await import('./definitions.js');
    return createDefinitions(terminal, interruptSignal, errorContext);
  };
  try {
    // The definitions are needed only if a command is named.
    const definitions = nameCommand(args) ? await loadDefinitions() : undefined;
    const program = createProgram(terminal, manifest.version, definitions);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    }
    const { signal } = interruption;
    if (!signal.aborted || error !== signal.reason) {
      if (!(error instanceof ReportedError)) terminal.note(...formatError(error, errorContext));
      return signal.aborted ? exitCode : exitCodeOf(error);
    }
  }
  return exitCode;
}

process.exitCode = await main(process.argv.slice(2));
