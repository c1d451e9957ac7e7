/** Completion scripts of the three shells, each a table of what can follow which words. */
import type { Choices } from './commands/completion.js';

/** The words that are neither options nor their values: the path to the command. */
export function bashCompletion(program: string, choices: Choices[]): string {
  const name = identifier(program);
  const cases = choices.map(
    ({ path, words }) =>
      `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  );
  return `# Completion of ${program} for bash.
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  while :; do
    words=''
    case "$path" in
${cases.join('\n')}
    esac
    [[ -n $words || -z $path ]] && break
    # What follows the command are its arguments.
    if [[ $path == *' '* ]]; then path="\${path% *}"; else path=''; fi
  done
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _${name} ${program}
`;
}

export function zshCompletion(program: string, choices: Choices[]): string {
  const name = identifier(program);
  const cases = choices.map(({ path, words }) => {
    const described = words.map(({ word, description }) =>
      quoted(`${word.replaceAll(':', '\\:')}:${description}`),
    );
    return `    '${path.join(' ')}') choices=(${described.join(' ')}) ;;`;
  });
  return `#compdef ${program}
# Completion of ${program} for zsh.
_${name}() {
  local -a choices
  local where='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    where="\${where:+$where }$word"
  done
  while :; do
    choices=()
    case "$where" in
${cases.join('\n')}
    esac
    (( $#choices )) || [[ -z $where ]] && break
    if [[ $where == *' '* ]]; then where="\${where% *}"; else where=''; fi
  done
  _describe '${program}' choices
}
_${name} "$@"
`;
}

export function fishCompletion(program: string, choices: Choices[]): string {
  const lines = choices.flatMap(({ path, words }) => {
    const commands = words.filter(({ word }) => !word.startsWith('--'));
    const isHere = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const notDeeper =
      commands.length === 0
        ? []
        : [`not __fish_seen_subcommand_from ${commands.map(({ word }) => word).join(' ')}`];
    const condition = [...isHere, ...notDeeper].join('; and ');
    return words.map(({ word, description }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c ${program} -f -n ${quoted(condition)} ${what} -d ${quoted(description)}`;
    });
  });
  return `# Completion of ${program} for fish.\n${lines.join('\n')}\n`;
}

function identifier(program: string): string {
  return program.replaceAll('-', '_');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
