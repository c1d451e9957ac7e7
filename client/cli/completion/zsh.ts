/** The completion script for zsh. */
import {
  agentNamesCommand,
  type CommandNode,
  type Suggestion,
  toIdentifier,
} from './command-tree.js';
import { scriptParts, shellQuote } from './posix-script.js';

export function zshCompletion(
  program: string,
  nodes: CommandNode[],
  connectionFlags: readonly string[],
): string {
  const name = `_${toIdentifier(program)}`;
  const { trackWord, assignSuggestions } = scriptParts(nodes, connectionFlags, {
    assign: (suggestions) => `choices=(${suggestions.map(describedChoice).join(' ')})`,
    assignAgents: `choices=(\${(f)"$("\${words[1]}" "\${connection[@]}" ${agentNamesCommand} 2>/dev/null)"})`,
  });
  return `#compdef ${program}
# Completion of ${program} for zsh.
${name}() {
  local -a choices connection
  local current="\${words[CURRENT]}" command_path='' flag='' word position=0
  for word in "\${(@)words[2,CURRENT-1]}"; do
${trackWord}
  done
${assignSuggestions}
  (( $#choices )) && _describe -V ${shellQuote(program)} choices
}
if [[ $funcstack[1] == ${name} ]]; then
  ${name} "$@"
else
  compdef ${name} ${program}
fi
`;
}

function describedChoice({ word, description }: Suggestion): string {
  return shellQuote(description === '' ? word : `${word}:${description.replaceAll(':', '\\:')}`);
}
