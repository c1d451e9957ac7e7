/** The completion script of fish. */
import { type Flag, flagsWithValue, identifier, type Place } from './places.js';

export function fishCompletion(program: string, places: Place[]): string {
  const name = `__${identifier(program)}`;
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [fishQuoted(path)]));
  const lines = places.flatMap(({ path, commands, flags, values }) => {
    const head = `complete -c ${program} -n ${fishQuoted(`${name}_at ${fishQuoted(path)}`)}`;
    return [
      ...commands.map(
        ({ word, description }) => `${head} -a ${word} -d ${fishQuoted(description)}`,
      ),
      ...values.map((word) => `${head} -a ${word}`),
      ...flags.map((flag) => `${head} -l ${flag.word.slice(2)} ${valueOf(flag)}`),
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
            case ${flagsWithValue(places).join(' ')}
                set is_value 1
            case '-*'
            case '*'
                set -l longer (string trim -- "$path $word")
                if contains -- "$longer" ${paths.join(' ')}
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

/** What follows the flag, if anything, and its description. */
function valueOf({ takesValue, values, description }: Flag): string {
  const choices = values.length > 0 ? ` -a ${fishQuoted(values.join(' '))}` : '';
  return `${takesValue ? `-x${choices} ` : ''}-d ${fishQuoted(description)}`;
}

/** In fish a backslash keeps its meaning between quotes, before a quote and before another backslash. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
