/** The commands as the help lists them. Their definitions are in `definitions.ts`, so that the help need not load them. */

export interface CommandSummary {
  description: string;
  /** The arguments in the list of commands, as commander prints them once the command is defined. */
  synopsis?: string;
}

export const commands = {
  login: {
    description: 'save the URL of a service and an API key as the current profile',
  },
  logout: {
    description: 'delete a profile',
  },
  profiles: {
    description: 'list the profiles, and select the current one',
  },
  chat: {
    description: 'talk with an agent: it remembers what was said before',
    synopsis: '[options] <agent>',
  },
  agents: {
    description: 'invoke agents, and manage their draft configuration',
  },
  evaluate: {
    description: 'run cases in an environment, and compare it with another one',
    synopsis: '[options] <agent>',
  },
  deployments: {
    description: 'deploy the configuration of an agent, and roll it back',
  },
  logs: {
    description: 'print the log of an agent, oldest entry first',
    synopsis: '[options] <agent>',
  },
  metrics: {
    description: 'print a metric of an agent over time',
    synopsis: '[options] <agent>',
  },
  memory: {
    description: 'search the memory of an agent, or clear it',
  },
  webhooks: {
    description: 'manage the URLs that receive events',
  },
  keys: {
    description: 'create, list, rotate and revoke API keys',
  },
} as const satisfies Record<string, CommandSummary>;

export type CommandName = keyof typeof commands;

/** Prints the script that makes a shell complete commands, options and values. The script runs `complete`, which is hidden. */
export const completionCommand = 'completion';
const hiddenCommand = 'complete';

export const commandNames = Object.keys(commands) as CommandName[];

/** Whether the arguments name a command, so that the definitions are needed. */
export function nameCommand(args: readonly string[]): boolean {
  return [...commandNames, completionCommand, hiddenCommand].some((name) => args.includes(name));
}
