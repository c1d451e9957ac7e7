/** The suggestions for each command, read from the commander program. */
import type { Command } from 'commander';

export interface Suggestion {
  word: string;
  description: string;
}

export interface Flag extends Suggestion {
  takesValue: boolean;
  /** The allowed values; empty if any is allowed. */
  values: readonly string[];
  /** Whether its value is the name of an agent. */
  takesAgent: boolean;
}

export interface CommandNode {
  /** The names of the command and its parents, without the program. */
  path: string;
  subcommands: Suggestion[];
  flags: Flag[];
  /** The allowed values of its arguments; empty if any is allowed. */
  argumentValues: readonly string[];
  /** Whether its first argument is the name of an agent. */
  takesAgent: boolean;
}

/** The hidden command that prints agent names for completion. */
export const agentNamesCommand = '__agents';

/** The command and all commands below it. */
export function commandTree(command: Command, path: string[] = []): CommandNode[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const node: CommandNode = {
    path: path.join(' '),
    subcommands: subcommands.map((child) => ({
      word: child.name(),
      description: child.description(),
    })),
    flags: options.flatMap(({ long, description, required, argChoices = [] }) =>
      long
        ? [
            {
              word: long,
              description,
              takesValue: required,
              values: argChoices,
              takesAgent: long === '--agent',
            },
          ]
        : [],
    ),
    argumentValues: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    takesAgent: command.registeredArguments[0]?.name() === 'agent',
  };
  return [node, ...subcommands.flatMap((child) => commandTree(child, [...path, child.name()]))];
}

/** The paths of all commands, without the program itself. */
export function commandPaths(nodes: CommandNode[]): string[] {
  return nodes.flatMap(({ path }) => (path === '' ? [] : [path]));
}

/** The flags of all commands that take a value. */
export function flagsWithValue(nodes: CommandNode[]): string[] {
  const flags = nodes.flatMap((node) => node.flags);
  return [...new Set(flags.flatMap(({ word, takesValue }) => (takesValue ? [word] : [])))];
}

/** The program name in the form that names of shell functions allow. */
export function toIdentifier(program: string): string {
  return program.replaceAll('-', '_');
}
