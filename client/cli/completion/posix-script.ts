/** The parts that the bash and zsh completion scripts share. */
import { type CommandNode, commandPaths, flagsWithValue, type Suggestion } from './command-tree.js';

/** Shell code that uses the variables `command_path`, `position`, `connection`, `current`, `flag` and `word`. */
export interface ScriptParts {
  /** The body of a loop that sets `word` to each word before the cursor. */
  trackWord: string;
  /** Assigns the suggestions for the word at the cursor. */
  assignSuggestions: string;
}

interface Assignments {
  /** Shell code that assigns these suggestions. */
  assign: (suggestions: Suggestion[]) => string;
  /** Shell code that assigns the agent names as suggestions. */
  assignAgents: string;
}

export function scriptParts(
  nodes: CommandNode[],
  connectionFlags: readonly string[],
  { assign, assignAgents }: Assignments,
): ScriptParts {
  const branch = (pattern: string, suggestions: Suggestion[]) =>
    `      ${shellQuote(pattern)}) ${assign(suggestions)} ;;`;
  const flagValueBranches = nodes.flatMap(({ path, flags }) =>
    flags
      .filter(({ values }) => values.length > 0)
      .map(({ word, values }) => branch(`${path} ${word}`, withoutDescription(values))),
  );
  const flagBranches = nodes.map(({ path, flags }) => branch(path, flags));
  const agentFlags = nodes.flatMap(({ flags }) =>
    flags.flatMap(({ word, takesAgent }) => (takesAgent ? [word] : [])),
  );
  const agentPaths = nodes.flatMap(({ path, takesAgent }) =>
    takesAgent ? [shellQuote(`${path} 0`)] : [],
  );
  const defaultBranches = nodes.map((node) => branch(node.path, defaultSuggestions(node)));
  return {
    trackWord: `    if [[ -n $flag ]]; then
      case "$flag" in
        ${connectionFlags.join('|')}) connection+=("$flag" "$word") ;;
      esac
      flag=''
      continue
    fi
    case "$word" in
      ${flagsWithValue(nodes).join('|')}) flag="$word" ;;
      -*) ;;
      *)
        case "\${command_path:+$command_path }$word" in
          ${commandPaths(nodes).map(shellQuote).join('|')}) command_path="\${command_path:+$command_path }$word" ;;
          *) position=$((position + 1)) ;;
        esac
        ;;
    esac`,
    assignSuggestions: `  if [[ -n $flag ]]; then
    case "$flag" in
      ${[...new Set(agentFlags)].join('|')}) ${assignAgents} ;;
    esac
    case "$command_path $flag" in
${flagValueBranches.join('\n')}
    esac
  elif [[ $current == -* ]]; then
    case "$command_path" in
${flagBranches.join('\n')}
    esac
  else
    case "$command_path" in
${defaultBranches.join('\n')}
    esac
    case "$command_path $position" in
      ${agentPaths.join('|')}) ${assignAgents} ;;
    esac
  fi`,
  };
}

/** Suggestions before a dash is typed: subcommands or arguments, or the flags if there are neither. */
function defaultSuggestions({ subcommands, argumentValues, flags }: CommandNode): Suggestion[] {
  const suggestions = [...subcommands, ...withoutDescription(argumentValues)];
  return suggestions.length > 0 ? suggestions : flags;
}

function withoutDescription(words: readonly string[]): Suggestion[] {
  return words.map((word) => ({ word, description: '' }));
}

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
