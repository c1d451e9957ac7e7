/** The context of a command: the client, the output, and the interrupt signal. */
import type { Command } from 'commander';
import type { AgentHosting } from '../src/index.js';
import {
  connect,
  type Connection,
  type ConnectionOptions,
  type ServiceTarget,
} from './connection.js';
import { type ErrorContext, formatError } from './error-messages.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { createOutput, type Output } from './output.js';
import { withSpinner } from './spinner.js';
import type { Terminal } from './terminal.js';

export interface GlobalOptions extends ConnectionOptions {
  json?: boolean;
  raw?: boolean;
}

export interface Context {
  terminal: Terminal;
  output: Output;
  globalOptions: GlobalOptions;
  connection: () => Promise<Connection>;
  client: () => Promise<AgentHosting>;
  /** Sets the service that error messages refer to. */
  setTarget: (target: ServiceTarget) => void;
  /** Prints an error without ending the command. */
  reportError: (error: unknown) => void;
  /** Shows a spinner until the work has ended, unless the output is JSON. */
  withSpinner: <Result>(text: string, work: Promise<Result>) => Promise<Result>;
  /** Aborted by Ctrl-C. A command that requests it must end by itself; for any other command the process exits. */
  interruptSignal: () => AbortSignal;
}

/**
 * Turns a function of context, options and arguments into a commander action. Each command declares its own options, so
 * only the function knows their type.
 */
export type Runner = (
  action: (context: Context, options: never, ...args: string[]) => Promise<void> | void,
) => (...given: unknown[]) => Promise<void>;

/** Updates the error context while a command runs, for the messages of errors that it throws. */
export function createRunner(
  terminal: Terminal,
  interruptSignal: Context['interruptSignal'],
  errorContext: ErrorContext,
): Runner {
  return (action) =>
    async (...given) => {
      // Commander passes the arguments, then the options, then the command itself.
      const command = given.at(-1) as Command;
      const args = given.slice(0, -2);
      if (args.some((argument) => typeof argument === 'string' && /^\.{0,2}$/.test(argument))) {
        throw new CommandError(
          'A name or id must not be empty or consist of dots.',
          exitCodes.usage,
        );
      }
      const globalOptions = command.optsWithGlobals<GlobalOptions>();
      const { json: isJson = false, raw: isRaw = false } = globalOptions;
      const output = createOutput(terminal, { isJson, isRaw });
      errorContext.isJson = output.isJson;
      const setTarget = (target: ServiceTarget) => {
        errorContext.target = target;
      };
      let connected: Connection | undefined;
      const connection = async () => {
        connected ??= await connect(globalOptions);
        setTarget(connected);
        return connected;
      };
      const context: Context = {
        terminal,
        output,
        globalOptions,
        connection,
        client: async () => (await connection()).client,
        setTarget,
        reportError: (error) => {
          terminal.note(...formatError(error, errorContext));
        },
        withSpinner: (text, work) => (output.isJson ? work : withSpinner(terminal, text, work)),
        interruptSignal,
      };
      const words = args.flat().filter((argument) => argument !== undefined);
      await action(context, command.opts<never>(), ...(words as string[]));
    };
}
