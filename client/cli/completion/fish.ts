/** The completion script for fish. */
import {
  agentNamesCommand,
  type CommandNode,
  commandPaths,
  type Flag,
  flagsWithValue,
  toIdentifier,
} from './command-tree.js';

export function fishCompletion(
  program: string,
  nodes: CommandNode[],
  connectionFlags: readonly string[],
): string {
  const name = `__${toIdentifier(program)}`;
  const agents = `(${name}_agents)`;
  const lines = nodes.flatMap(({ path, subcommands, flags, argumentValues, takesAgent }) => {
    const atFirstArgument = fishQuote(`${name}_at ${fishQuote(path)} 0`);
    const head = `complete -c ${program} -n ${fishQuote(`${name}_at ${fishQuote(path)}`)}`;
    return [
      ...subcommands.map(
        ({ word, description }) => `${head} -a ${word} -d ${fishQuote(description)}`,
      ),
      ...argumentValues.map((word) => `${head} -a ${word}`),
      ...(takesAgent
        ? [`complete -c ${program} -n ${atFirstArgument} -a ${fishQuote(agents)}`]
        : []),
      ...flags.map((flag) => `${head} -l ${flag.word.slice(2)} ${flagArguments(flag, agents)}`),
    ];
  });
  return `# Completion of ${program} for fish.
function ${name}_at
    set -l path ''
    set -l position 0
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
                else
                    set position (math $position + 1)
                end
        end
    end
    test "$path" = "$argv[1]"; and contains -- "$argv[2]" '' $position
end
function ${name}_agents
    set -l words (commandline -opc)
    set -l connection
    for index in (seq 2 (count $words))
        if contains -- $words[$index] ${connectionFlags.join(' ')}
            set -a connection $words[$index] $words[(math $index + 1)]
        end
    end
    command $words[1] $connection ${agentNamesCommand} 2>/dev/null
end
complete -c ${program} -f
${lines.join('\n')}
`;
}

/** The `complete` arguments for the values and the description of a flag. */
function flagArguments(flag: Flag, agents: string): string {
  const { takesValue, takesAgent, values, description } = flag;
  const suggestions = takesAgent ? agents : values.join(' ');
  const choices = suggestions === '' ? '' : ` -a ${fishQuote(suggestions)}`;
  return `${takesValue ? `-x${choices} ` : ''}-d ${fishQuote(description)}`;
}

/** Within single quotes, fish still interprets a backslash before a quote or another backslash. */
function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
