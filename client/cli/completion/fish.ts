/** The completion script of fish. */
import {
  type CommandNode,
  commandPaths,
  type Flag,
  flagsWithValue,
  toIdentifier,
} from './command-tree.js';

export function fishCompletion(program: string, nodes: CommandNode[]): string {
  const name = `__${toIdentifier(program)}`;
  const lines = nodes.flatMap(({ path, subcommands, flags, argumentValues }) => {
    const head = `complete -c ${program} -n ${fishQuote(`${name}_at ${fishQuote(path)}`)}`;
    return [
      ...subcommands.map(
        ({ word, description }) => `${head} -a ${word} -d ${fishQuote(description)}`,
      ),
      ...argumentValues.map((word) => `${head} -a ${word}`),
      ...flags.map((flag) => `${head} -l ${flag.word.slice(2)} ${flagArguments(flag)}`),
    ];
  });
  return `# Completion of ${program} for fish.
function ${name}_at
    set -l path ''
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case ${flagsWithValue(nodes).join(' ')}
                set is_value 1
            case '-*'
            case '*'
                set -l longer (string trim -- "$path $word")
                if contains -- "$longer" ${commandPaths(nodes).map(fishQuote).join(' ')}
                    set path $longer
                end
        end
    end
    test "$path" = "$argv[1]"
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

/** Whether the flag takes a value, which ones, and its description. */
function flagArguments({ takesValue, values, description }: Flag): string {
  const choices = values.length > 0 ? ` -a ${fishQuote(values.join(' '))}` : '';
  return `${takesValue ? `-x${choices} ` : ''}-d ${fishQuote(description)}`;
}

/** Between single quotes, fish still interprets a backslash before a quote or another backslash. */
function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
