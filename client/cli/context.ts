/** What a command works with: a client of the chosen service, its output, and the signal that ends it. */
import type { Command } from 'commander';
import { type AgentHosting, agentHosting, type ClientOptions } from '../src/index.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { createOutput, type Output } from './output.js';
import { readProfiles } from './profiles.js';
import { whileSpinning } from './spinner.js';
import type { Terminal } from './terminal.js';

export interface GlobalOptions {
  json?: boolean;
  profile?: string;
  baseUrl?: string;
}

export interface Context {
  terminal: Terminal;
  output: Output;
  globals: GlobalOptions;
  client: (options?: ClientOptions) => Promise<AgentHosting>;
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
  action: (context: Context, options: never, ...args: string[]) => Promise<void>,
) => (...given: unknown[]) => Promise<void>;

export function createRunner(terminal: Terminal, interruptible: Context['interruptible']): Runner {
  return (action) =>
    async (...given) => {
      // Commander hands over the arguments, then the options, then the command itself.
      const command = given.at(-1) as Command;
      const args = given
        .slice(0, -2)
        .flat()
        .filter((argument) => argument !== undefined);
      const globals = command.optsWithGlobals<GlobalOptions>();
      const output = createOutput(terminal, globals.json ?? false);
      const context: Context = {
        terminal,
        output,
        globals,
        client: (options) => connect(globals, options),
        wait: (text, work) => (output.isJson ? work : whileSpinning(terminal, text, work)),
        interruptible,
      };
      await action(context, command.opts<never>(), ...(args as string[]));
    };
}

/** A profile that is asked for goes before the environment, which goes before the profile in use. */
export async function connect(
  { profile: name, baseUrl }: GlobalOptions,
  options: ClientOptions = {},
): Promise<AgentHosting> {
  const { current, profiles } = await readProfiles();
  const profile = profiles[name ?? current];
  if (name !== undefined && !profile) {
    const known = Object.keys(profiles).join(', ') || 'none';
    throw new CommandFailure(
      `There is no profile '${name}'; there are: ${known}.`,
      exitCodes.usage,
    );
  }
  const { AGENT_HOSTING_API_KEY: key, AGENT_HOSTING_BASE_URL: url } = process.env;
  const isChosen = name !== undefined;
  const apiKey = isChosen ? profile?.apiKey : (key ?? profile?.apiKey);
  if (!apiKey) {
    throw new CommandFailure(
      'There is no API key: run agent-hosting login, or set AGENT_HOSTING_API_KEY.',
      exitCodes.notAllowed,
    );
  }
  // A key is sent nowhere but where it was meant for: that of the environment goes with the environment's address.
  const known = isChosen || key === undefined ? (profile?.baseUrl ?? url) : url;
  return agentHosting({ apiKey, baseUrl: baseUrl ?? known, ...options });
}
