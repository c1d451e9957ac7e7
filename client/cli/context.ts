/** What a command works with: a client of the chosen service, its output, and the signal that ends it. */
import type { Command } from 'commander';
import type { AgentHosting } from '../src/index.js';
import { type Choice, connect, type Connection, type Service } from './connection.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import type { Circumstances } from './failures.js';
import { createOutput, type Output } from './output.js';
import { whileSpinning } from './spinner.js';
import type { Terminal } from './terminal.js';

export interface GlobalOptions extends Choice {
  json?: boolean;
}

export interface Context {
  terminal: Terminal;
  output: Output;
  globals: GlobalOptions;
  connection: () => Promise<Connection>;
  client: () => Promise<AgentHosting>;
  /** Says which service a failure from now on is about. */
  talksTo: (service: Service) => void;
  /** Waits for work, and shows that it does. */
  wait: <Result>(text: string, work: Promise<Result>) => Promise<Result>;
  /** Aborted by Ctrl-C. Who asks for it promises to end then; a command that does not is ended from outside. */
  interruptible: () => AbortSignal;
}

/**
 * Makes the action of a command out of a function of what it works with, its options and its arguments. The options are
 * what the command declared: only the function knows their type.
 */
export type Runner = (
  action: (context: Context, options: never, ...args: string[]) => Promise<void> | void,
) => (...given: unknown[]) => Promise<void>;

/** The circumstances are kept up to date while a command runs, so that its failure can be explained. */
export function createRunner(
  terminal: Terminal,
  interruptible: Context['interruptible'],
  circumstances: Circumstances,
): Runner {
  return (action) =>
    async (...given) => {
      // Commander hands over the arguments, then the options, then the command itself.
      const command = given.at(-1) as Command;
      const args = given.slice(0, -2);
      if (args.some((argument) => typeof argument === 'string' && /^\.{0,2}$/.test(argument))) {
        throw new CommandFailure('A name or id is empty, or nothing but dots.', exitCodes.usage);
      }
      const globals = command.optsWithGlobals<GlobalOptions>();
      const output = createOutput(terminal, globals.json ?? false);
      circumstances.isJson = output.isJson;
      const talksTo = (service: Service) => {
        circumstances.service = service;
      };
      let connected: Connection | undefined;
      const connection = async () => {
        connected ??= await connect(globals);
        talksTo(connected);
        return connected;
      };
      const context: Context = {
        terminal,
        output,
        globals,
        connection,
        client: async () => (await connection()).client,
        talksTo,
        wait: (text, work) => (output.isJson ? work : whileSpinning(terminal, text, work)),
        interruptible,
      };
      const words = args.flat().filter((argument) => argument !== undefined);
      await action(context, command.opts<never>(), ...(words as string[]));
    };
}
