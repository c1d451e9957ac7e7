/** The completion script for bash 3.2 and later; macOS still has 3.2. */
import { agentNamesCommand, type CommandNode, toIdentifier } from './command-tree.js';
import { scriptParts, shellQuote } from './posix-script.js';

export function bashCompletion(
  program: string,
  nodes: CommandNode[],
  connectionFlags: readonly string[],
): string {
  const name = `_${toIdentifier(program)}`;
  const { trackWord, assignSuggestions } = scriptParts(nodes, connectionFlags, {
    assign: (suggestions) => `words=${shellQuote(suggestions.map(({ word }) => word).join(' '))}`,
    assignAgents: `words="$("\${COMP_WORDS[0]}" \${connection[@]+"\${connection[@]}"} ${agentNamesCommand} 2>/dev/null)"`,
  });
  return `# Completion of ${program} for bash.
${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command_path='' flag='' words='' word index position=0
  local -a connection
  for (( index = 1; index < COMP_CWORD; index++ )); do
    word="\${COMP_WORDS[index]}"
    # Bash treats the = between a flag and its value as a word.
    [[ $word == '=' ]] && continue
${trackWord}
  done
  [[ $current == '=' ]] && current=''
${assignSuggestions}
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -F ${name} ${program}
`;
}
