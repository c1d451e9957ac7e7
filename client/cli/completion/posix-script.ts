/** The parts that the completion scripts of bash and zsh have in common. */
import { commandPaths, flagsWithValue, type CommandNode, type Suggestion } from './command-tree.js';

/** Shell code that uses the variables `command_path`, `current`, `flag` and `word`. */
export interface ScriptParts {
  /** Takes in the word before the cursor that is in `word`; the body of a loop over all of them. */
  trackWord: string;
  /** Assigns the suggestions for the word at the cursor. */
  assignSuggestions: string;
}

/** The shell's own assignment of suggestions is given. */
export function scriptParts(
  nodes: CommandNode[],
  assign: (suggestions: Suggestion[]) => string,
): ScriptParts {
  const branch = (pattern: string, suggestions: Suggestion[]) =>
    `      ${shellQuote(pattern)}) ${assign(suggestions)} ;;`;
  const flagValueBranches = nodes.flatMap(({ path, flags }) =>
    flags
      .filter(({ values }) => values.length > 0)
      .map(({ word, values }) => branch(`${path} ${word}`, withoutDescription(values))),
  );
  const flagBranches = nodes.map(({ path, flags }) => branch(path, flags));
  const defaultBranches = nodes.map((node) => branch(node.path, defaultSuggestions(node)));
  return {
    trackWord: `    if [[ -n $flag ]]; then
      flag=''
      continue
    fi
    case "$word" in
      ${flagsWithValue(nodes).join('|')}) flag="$word" ;;
      -*) ;;
      *)
        case "\${command_path:+$command_path }$word" in
          ${commandPaths(nodes).map(shellQuote).join('|')}) command_path="\${command_path:+$command_path }$word" ;;
        esac
        ;;
    esac`,
    assignSuggestions: `  if [[ -n $flag ]]; then
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
  fi`,
  };
}

/** Before a dash is typed: subcommands or arguments, or the flags if there are neither. */
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
