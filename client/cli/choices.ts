/** Lists of names on the command line, out of those that there are. */
import { InvalidArgumentError } from 'commander';

/** Reads names that commas part, in any order, each once. */
export function someOf<Name extends string>(all: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const given = text.split(',').map((name) => name.trim());
    const unknown = given.find((name) => !all.some((one) => one === name));
    if (unknown === undefined) return all.filter((one) => given.includes(one));
    throw new InvalidArgumentError(`'${unknown}' is none of ${all.join(', ')}.`);
  };
}
