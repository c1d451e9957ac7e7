/** What can be written at which place of a command line, read from the commands themselves. */
import type { Command } from 'commander';

export interface Word {
  word: string;
  description: string;
}

export interface Flag extends Word {
  takesValue: boolean;
  /** Where only some values are allowed. */
  values: readonly string[];
}

export interface Place {
  /** The commands so far, after the name of the program. */
  path: string;
  commands: Word[];
  flags: Flag[];
  /** Where an argument can only be one of these. */
  values: readonly string[];
}

export function placesOf(command: Command, path: string[] = []): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const own: Place = {
    path: path.join(' '),
    commands: commands.map((one) => ({ word: one.name(), description: one.description() })),
    flags: options.flatMap(({ long, description, required, argChoices = [] }) =>
      long ? [{ word: long, description, takesValue: required, values: argChoices }] : [],
    ),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
  return [own, ...commands.flatMap((one) => placesOf(one, [...path, one.name()]))];
}

/** The flags after which the next word is their value, wherever they are allowed. */
export function flagsWithValue(places: Place[]): string[] {
  const flags = places.flatMap((place) => place.flags);
  return [...new Set(flags.flatMap(({ word, takesValue }) => (takesValue ? [word] : [])))];
}

/** What a shell offers at a place before a dash is typed: commands or arguments, and where there are none, the flags. */
export function firstOffer({ commands, values, flags }: Place): Word[] {
  const words = [...commands, ...values.map((word) => ({ word, description: '' }))];
  return words.length > 0 ? words : flags;
}

/** The flags that allow only some values, with the place where they do. */
export function flagChoices(places: Place[]): { place: string; values: readonly string[] }[] {
  return places.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, values }) =>
      values.length > 0 ? [{ place: `${path} ${word}`, values }] : [],
    ),
  );
}

export function identifier(program: string): string {
  return program.replaceAll('-', '_');
}

/** For a shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
